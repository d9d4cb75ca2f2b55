package dev.onceward.handler;

import static java.util.stream.Collectors.joining;

import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** {@link MessageIds#firstOf}. */
record FirstId(List<MessageIdExtractor> extractors) implements MessageIdExtractor {
    FirstId {
        if (extractors.isEmpty()) {
            throw new IllegalArgumentException("firstOf needs at least one way to find a message id");
        }
    }

    @Override
    public @Nullable String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        for (MessageIdExtractor extractor : extractors) {
            String id = extractor.extract(record, topicId);
            if (id != null) {
                return id;
            }
        }
        return null;
    }

    @Override
    public String toString() {
        return extractors.stream().map(Object::toString).collect(joining(", then "));
    }
}
