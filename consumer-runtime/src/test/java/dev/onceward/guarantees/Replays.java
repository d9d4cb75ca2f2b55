package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.catalog.HeaderNames;
import java.util.Comparator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;

/** Replays dead letters, as an operator's tool does: from the copy in the dead-letter topic. */
final class Replays {
    private Replays() {}

    /** The latest copy in the dead-letter topic. */
    static ConsumerRecord<byte[], byte[]> lastCopy(Ledger ledger) {
        return ledger.records(ledger.deadLetterTopic()).stream()
                .max(Comparator.comparingLong(ConsumerRecord::offset))
                .orElseThrow();
    }

    /** Sends a copy to the replay topic and marks its dead letter. */
    static void replay(Ledger ledger, ConsumerRecord<byte[], byte[]> copy) {
        send(ledger, copy, 0);
        ledger.flush();
    }

    static void send(Ledger ledger, ConsumerRecord<byte[], byte[]> copy, int partition) {
        var unused = ledger.texts(
                "UPDATE dead_letters SET status = 'REPLAYED', replays = replays + 1, replayed_at = clock_timestamp(),"
                        + " asserted_by = CASE reason WHEN 'TOO_OLD' THEN 'an operator' END"
                        + " WHERE dlt_topic = ? AND dlt_partition = ? AND dlt_offset = ? AND status = 'DEAD'"
                        + " RETURNING status",
                copy.topic(),
                copy.partition(),
                copy.offset());
        ProducerRecord<byte[], byte[]> replay =
                new ProducerRecord<>(ledger.replayTopic(), partition, copy.key(), copy.value());
        for (Header header : copy.headers()) {
            if (!HeaderNames.isOurs(header.key())) {
                replay.headers().add(header);
            }
        }
        move(copy.headers(), HeaderNames.ERRORS_TOPIC, replay.headers(), HeaderNames.REPLAY_ORIGINAL_TOPIC);
        move(copy.headers(), HeaderNames.ERRORS_PARTITION, replay.headers(), HeaderNames.REPLAY_ORIGINAL_PARTITION);
        move(copy.headers(), HeaderNames.ERRORS_OFFSET, replay.headers(), HeaderNames.REPLAY_ORIGINAL_OFFSET);
        move(
                copy.headers(),
                HeaderNames.DLQ_ORIGINAL_TIMESTAMP,
                replay.headers(),
                HeaderNames.REPLAY_ORIGINAL_TIMESTAMP);
        move(copy.headers(), HeaderNames.DLQ_MESSAGE_ID, replay.headers(), HeaderNames.REPLAY_MESSAGE_ID);
        int count = Integer.parseInt(text(copy.headers(), HeaderNames.DLQ_REPLAYS)) + 1;
        replay.headers()
                .add(HeaderNames.REPLAY_COUNT.key(), String.valueOf(count).getBytes(UTF_8));
        ledger.send(replay);
    }

    /** Something in the replay topic that no dead letter stands behind. */
    static void forge(Ledger ledger, String topic, String id, String value) {
        ProducerRecord<byte[], byte[]> record =
                new ProducerRecord<>(ledger.replayTopic(), Ledger.bytes("account-1"), Ledger.bytes(value));
        record.headers()
                .add(HeaderNames.REPLAY_ORIGINAL_TOPIC.key(), topic.getBytes(UTF_8))
                .add(HeaderNames.REPLAY_ORIGINAL_PARTITION.key(), "0".getBytes(UTF_8))
                .add(HeaderNames.REPLAY_ORIGINAL_OFFSET.key(), "0".getBytes(UTF_8))
                .add(HeaderNames.REPLAY_ORIGINAL_TIMESTAMP.key(), "1700000000000".getBytes(UTF_8))
                .add(HeaderNames.REPLAY_MESSAGE_ID.key(), id.getBytes(UTF_8))
                .add(HeaderNames.REPLAY_COUNT.key(), "1".getBytes(UTF_8));
        ledger.send(record);
        ledger.flush();
    }

    static String text(Headers headers, HeaderNames name) {
        return new String(headers.lastHeader(name.key()).value(), UTF_8);
    }

    private static void move(Headers from, HeaderNames name, Headers to, HeaderNames as) {
        to.add(as.key(), from.lastHeader(name.key()).value());
    }
}
