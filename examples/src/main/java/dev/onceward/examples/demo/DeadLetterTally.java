package dev.onceward.examples.demo;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.catalog.HeaderNames;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * Compares the table of dead letters and the dead-letter topic with the bad records.
 *
 * @param matching bad records with exactly one row, DEAD, whose copy in the topic has their bytes and says where from
 * @param wrong bad records without that, and rows of records that are not bad
 * @param duplicates copies in the topic that no row names
 */
record DeadLetterTally(long matching, long wrong, long duplicates) {

    /**
     * Compares.
     *
     * @param bad the bad records, as they stand in the source topic
     * @param copies all records of the dead-letter topic
     */
    static DeadLetterTally of(
            Map<Place, ConsumerRecord<byte[], byte[]>> bad,
            List<DeadLetterRow> rows,
            Map<Place, ConsumerRecord<byte[], byte[]>> copies) {
        long matching = bad.entrySet().stream()
                .filter(entry -> hasItsDeadLetter(entry.getKey(), entry.getValue(), rows, copies))
                .count();
        long foreign =
                rows.stream().filter(row -> !bad.containsKey(row.record())).count();
        long named = rows.stream()
                .map(DeadLetterRow::copy)
                .filter(copy -> copy != null && copies.containsKey(copy))
                .distinct()
                .count();
        return new DeadLetterTally(matching, bad.size() - matching + foreign, copies.size() - named);
    }

    private static boolean hasItsDeadLetter(
            Place place,
            ConsumerRecord<byte[], byte[]> record,
            List<DeadLetterRow> rows,
            Map<Place, ConsumerRecord<byte[], byte[]>> copies) {
        List<DeadLetterRow> own =
                rows.stream().filter(row -> row.record().equals(place)).toList();
        if (own.size() != 1 || !own.get(0).status().equals(DeadLetterStatus.DEAD.name())) {
            return false;
        }
        DeadLetterRow row = own.get(0);
        Place copyPlace = row.copy();
        ConsumerRecord<byte[], byte[]> copy = copyPlace == null ? null : copies.get(copyPlace);
        return copy != null
                && Objects.equals(row.messageId(), text(record.headers(), "message-id"))
                && Arrays.equals(record.key(), copy.key())
                && Arrays.equals(record.value(), copy.value())
                && originalHeaders(copy).equals(List.of(record.headers().toArray()))
                && saysWhereFrom(copy.headers(), place);
    }

    private static List<Header> originalHeaders(ConsumerRecord<byte[], byte[]> copy) {
        return Arrays.stream(copy.headers().toArray())
                .filter(header -> !HeaderNames.isOurs(header.key()))
                .toList();
    }

    private static boolean saysWhereFrom(Headers headers, Place place) {
        return place.topic().equals(text(headers, HeaderNames.ERRORS_TOPIC.key()))
                && Integer.toString(place.partition()).equals(text(headers, HeaderNames.ERRORS_PARTITION.key()))
                && Long.toString(place.offset()).equals(text(headers, HeaderNames.ERRORS_OFFSET.key()));
    }

    private static @Nullable String text(Headers headers, String name) {
        Header header = headers.lastHeader(name);
        return header == null ? null : new String(header.value(), UTF_8);
    }
}
