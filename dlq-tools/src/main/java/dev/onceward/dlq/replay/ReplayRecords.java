package dev.onceward.dlq.replay;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** The record that a letter becomes in the replay topic. */
final class ReplayRecords {
    private final ReplayTarget target;

    ReplayRecords(ReplayTarget target) {
        this.target = target;
    }

    /** The original key, value and headers byte for byte, in order; then what tells the runtime where it comes from. */
    ProducerRecord<byte[], byte[]> of(Letter letter, ConsumerRecord<byte[], byte[]> copy) {
        return of(letter, copy, copy.value());
    }

    /** The same with another value. */
    ProducerRecord<byte[], byte[]> of(Letter letter, ConsumerRecord<byte[], byte[]> copy, byte @Nullable [] value) {
        Coordinates origin = letter.origin().coordinates();
        // By the partition, not by the key: what stood in one partition, in order, stays in one.
        ProducerRecord<byte[], byte[]> replay =
                new ProducerRecord<>(target.topic(), origin.partition() % target.partitions(), copy.key(), value);
        for (Header header : copy.headers()) {
            if (!HeaderNames.isOurs(header.key())) {
                replay.headers().add(header);
            }
        }
        // From the index and not from the copy's headers, which a record nearly too large is published without.
        add(replay, HeaderNames.REPLAY_ORIGINAL_TOPIC, origin.topic());
        add(replay, HeaderNames.REPLAY_ORIGINAL_PARTITION, String.valueOf(origin.partition()));
        add(replay, HeaderNames.REPLAY_ORIGINAL_OFFSET, String.valueOf(origin.offset()));
        add(
                replay,
                HeaderNames.REPLAY_ORIGINAL_TIMESTAMP,
                String.valueOf(letter.origin().timestamp()));
        if (letter.messageId() != null) {
            add(replay, HeaderNames.REPLAY_MESSAGE_ID, letter.messageId());
        }
        add(replay, HeaderNames.REPLAY_COUNT, String.valueOf(letter.history().replays() + 1));
        return replay;
    }

    private static void add(ProducerRecord<byte[], byte[]> replay, HeaderNames name, String value) {
        replay.headers().add(name.key(), value.getBytes(StandardCharsets.UTF_8));
    }
}
