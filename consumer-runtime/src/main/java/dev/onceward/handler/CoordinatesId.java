package dev.onceward.handler;

import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;

/** {@link MessageIds#coordinates}. */
record CoordinatesId() implements MessageIdExtractor {

    @Override
    public String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        if (topicId.equals(Uuid.ZERO_UUID)) {
            throw new InvalidMessageIdException("the broker gave no id of topic " + record.topic());
        }
        return topicId + "/" + record.partition() + "/" + record.offset();
    }

    @Override
    public String toString() {
        return "the coordinates";
    }
}
