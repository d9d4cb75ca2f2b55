package dev.onceward.handler;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** {@link MessageIds#header}. */
record HeaderId(String name) implements MessageIdExtractor {
    HeaderId {
        if (name.isBlank()) {
            throw new IllegalArgumentException("the name of the header with the message id is blank");
        }
    }

    @Override
    public @Nullable String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        return StrictUtf8.header(record, name);
    }

    @Override
    public String toString() {
        return "header '" + name + "'";
    }
}
