package dev.onceward.deadletter;

import java.io.Serial;
import org.apache.kafka.common.KafkaException;

/**
 * The broker has the record but did not say where: it recognised a resend and no longer knew the offset of the first.
 * A dead letter must be found again, so it is published once more.
 */
final class AcknowledgedWithoutOffsetException extends KafkaException {
    @Serial
    private static final long serialVersionUID = 1L;

    AcknowledgedWithoutOffsetException(String topic) {
        super("topic " + topic + " acknowledged the record without its offset");
    }
}
