package dev.onceward.examples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.HeaderNames;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DeadLetterTallyTest {

    private static final String DLT = "dlq.ledger.payments";

    private final Map<Place, ConsumerRecord<byte[], byte[]>> bad = new HashMap<>();
    private final List<DeadLetterRow> rows = new ArrayList<>();
    private final Map<Place, ConsumerRecord<byte[], byte[]>> copies = new HashMap<>();

    @BeforeEach
    void threeBadRecordsWithTheirDeadLetters() {
        for (int offset = 0; offset < 3; offset++) {
            ConsumerRecord<byte[], byte[]> record = record("payments", 2, offset, "value " + offset);
            bad.put(place(record), record);
            ConsumerRecord<byte[], byte[]> copy = copyOf(record, 10 + offset);
            copies.put(place(copy), copy);
            rows.add(new DeadLetterRow(place(record), "id", "DEAD", place(copy)));
        }
    }

    @Test
    void findsNothingWrongWhereAllMatch() {
        assertThat(tally()).isEqualTo(new DeadLetterTally(3, 0, 0));
    }

    @Test
    void missingRowIsWrongAndItsCopyAFurtherOne() {
        rows.remove(1);
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 1));
    }

    @Test
    void rowThatIsNotDeadIsWrong() {
        rows.set(1, new DeadLetterRow(rows.get(1).record(), "id", "PENDING", null));
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 1));
    }

    @Test
    void secondRowOfARecordIsWrong() {
        rows.add(rows.get(1));
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 0));
    }

    @Test
    void rowOfAGoodRecordIsWrong() {
        rows.add(new DeadLetterRow(new Place("payments", 0, 5), "id", "DEAD", null));
        assertThat(tally()).isEqualTo(new DeadLetterTally(3, 1, 0));
    }

    @Test
    void rowWithAnotherIdIsWrong() {
        rows.set(
                1,
                new DeadLetterRow(
                        rows.get(1).record(), null, "DEAD", rows.get(1).copy()));
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 0));
    }

    @Test
    void rowThatNamesNoCopyInTheTopicIsWrong() {
        rows.set(1, new DeadLetterRow(rows.get(1).record(), "id", "DEAD", new Place(DLT, 0, 99)));
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 1));
    }

    @Test
    void furtherCopiesAreCounted() {
        ConsumerRecord<byte[], byte[]> again = copyOf(bad.get(rows.get(0).record()), 20);
        copies.put(place(again), again);
        assertThat(tally()).isEqualTo(new DeadLetterTally(3, 0, 1));
    }

    @Test
    void copyWithOtherBytesIsWrong() {
        Place place = rows.get(1).copy();
        ConsumerRecord<byte[], byte[]> changed = record(DLT, 0, place.offset(), "changed");
        copies.get(place).headers().forEach(changed.headers()::add);
        copies.put(place, changed);
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 0));
    }

    @Test
    void copyWithoutAnOriginalHeaderOrWithOneMoreIsWrong() {
        copies.get(rows.get(0).copy()).headers().remove("trace");
        copies.get(rows.get(1).copy()).headers().add("trace", new byte[] {1});
        assertThat(tally()).isEqualTo(new DeadLetterTally(1, 2, 0));
    }

    @Test
    void copyThatSaysAnotherPlaceIsWrong() {
        copies.get(rows.get(1).copy()).headers().add(HeaderNames.ERRORS_OFFSET.key(), "7".getBytes(UTF_8));
        assertThat(tally()).isEqualTo(new DeadLetterTally(2, 1, 0));
    }

    private DeadLetterTally tally() {
        return DeadLetterTally.of(bad, rows, copies);
    }

    private static ConsumerRecord<byte[], byte[]> record(String topic, int partition, long offset, String value) {
        return new ConsumerRecord<>(topic, partition, offset, "key".getBytes(UTF_8), value.getBytes(UTF_8));
    }

    private ConsumerRecord<byte[], byte[]> copyOf(ConsumerRecord<byte[], byte[]> record, long offset) {
        if (record.headers().lastHeader("message-id") == null) {
            record.headers().add("message-id", "id".getBytes(UTF_8)).add("trace", new byte[] {0});
        }
        ConsumerRecord<byte[], byte[]> copy = record(DLT, 0, offset, new String(record.value(), UTF_8));
        record.headers().forEach(copy.headers()::add);
        copy.headers()
                .add(HeaderNames.ERRORS_TOPIC.key(), record.topic().getBytes(UTF_8))
                .add(
                        HeaderNames.ERRORS_PARTITION.key(),
                        Integer.toString(record.partition()).getBytes(UTF_8))
                .add(
                        HeaderNames.ERRORS_OFFSET.key(),
                        Long.toString(record.offset()).getBytes(UTF_8));
        return copy;
    }

    private static Place place(ConsumerRecord<byte[], byte[]> record) {
        return new Place(record.topic(), record.partition(), record.offset());
    }
}
