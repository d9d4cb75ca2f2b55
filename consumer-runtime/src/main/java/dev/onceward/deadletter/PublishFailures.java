package dev.onceward.deadletter;

import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** What a failed send means. */
final class PublishFailures {
    private PublishFailures() {}

    /** Fewer diagnostics may help. */
    static boolean isTooLarge(Throwable failure) {
        return failure instanceof RecordTooLargeException || failure instanceof RecordBatchTooLargeException;
    }

    /**
     * Whether the producer can not be used any more. Named here is what concerns one record, one topic or one moment;
     * anything else (fenced, out of sequence, not authorised or not authenticated, closed, its thread gone) stays, and
     * so does what a later version of Kafka invents: a new producer too many does no harm, a dead one kept does.
     */
    static boolean breaksProducer(Throwable failure) {
        return !(failure instanceof RetriableException
                || isTooLarge(failure)
                || failure instanceof TopicAuthorizationException
                || failure instanceof InvalidTopicException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException
                || failure instanceof PolicyViolationException
                || failure instanceof SerializationException
                || failure instanceof UnknownServerException
                || failure instanceof InterruptException
                || failure instanceof AcknowledgedWithoutOffsetException);
    }

    /**
     * What an operator should know and do.
     *
     * @param topic the dead-letter topic; empty where it is not known
     */
    static String explain(DeadLetter letter, String topic, Throwable failure) {
        String what = SafeText.line(failure.toString(), 300);
        return "dead letter of " + letter.record().coordinates() + " cannot be published to "
                + (topic.isEmpty() ? "its dead-letter topic" : topic) + ": "
                + advice(topic, failure)
                        .map(advice -> advice + " (" + what + ")")
                        .orElse(what);
    }

    private static Optional<String> advice(String topic, Throwable failure) {
        if (failure instanceof UnknownTopicOrPartitionException
                || failure.getCause() instanceof UnknownTopicOrPartitionException) {
            return Optional.of("the topic does not exist; create it");
        }
        if (failure instanceof TopicAuthorizationException) {
            return Optional.of("not authorised; grant WRITE and DESCRIBE on topic " + topic);
        }
        if (failure instanceof ClusterAuthorizationException) {
            return Optional.of("not authorised to produce idempotently; grant WRITE on topic " + topic
                    + " (brokers before 2.8: IDEMPOTENT_WRITE on the cluster)");
        }
        if (failure instanceof AuthenticationException) {
            return Optional.of("the broker refuses these credentials; correct them");
        }
        if (isTooLarge(failure)) {
            return Optional.of("the record is too large even without diagnostics; raise max.message.bytes of topic "
                    + topic + " and max.request.size of the producer");
        }
        if (failure instanceof TimeoutException || failure instanceof org.apache.kafka.common.errors.TimeoutException) {
            return Optional.of("no answer in time; see whether the brokers can be reached and the topic has a leader");
        }
        return Optional.empty();
    }
}
