package dev.onceward.handler;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** {@link MessageIds#key}. */
record KeyId() implements MessageIdExtractor {

    @Override
    public @Nullable String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        return record.key() == null ? null : StrictUtf8.text(record.key(), "the key");
    }

    @Override
    public String toString() {
        return "the key";
    }
}
