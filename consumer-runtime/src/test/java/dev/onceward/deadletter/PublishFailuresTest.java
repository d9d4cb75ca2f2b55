package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ClusterAuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.NotEnoughReplicasException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PublishFailuresTest {

    static Stream<Throwable> ofOneRecordTopicOrMoment() {
        return Stream.of(
                new TimeoutException("t"),
                new NotEnoughReplicasException("n"),
                new UnknownTopicOrPartitionException("u"),
                new RecordTooLargeException("r"),
                new RecordBatchTooLargeException("b"),
                new TopicAuthorizationException("topic"),
                new InvalidTopicException("i"),
                new InvalidRecordException("i"),
                new PolicyViolationException("p"),
                new AcknowledgedWithoutOffsetException("topic"));
    }

    @ParameterizedTest
    @MethodSource("ofOneRecordTopicOrMoment")
    void theProducerIsKeptAfter(Throwable failure) {
        assertThat(PublishFailures.breaksProducer(failure)).isFalse();
    }

    static Stream<Throwable> ofTheProducer() {
        return Stream.of(
                new ProducerFencedException("f"),
                new OutOfOrderSequenceException("o"),
                new UnknownProducerIdException("u"),
                new InvalidProducerEpochException("e"),
                new InvalidPidMappingException("m"),
                new ClusterAuthorizationException("c"),
                new TransactionalIdAuthorizationException("t"),
                new SaslAuthenticationException("s"),
                new UnsupportedVersionException("v"),
                new KafkaException("Cannot perform send because at least one previous transactional request failed"),
                new IllegalStateException("Cannot perform operation after producer has been closed"),
                new java.util.concurrent.TimeoutException(),
                new OutOfMemoryError());
    }

    @ParameterizedTest
    @MethodSource("ofTheProducer")
    void theProducerIsReplacedAfter(Throwable failure) {
        assertThat(PublishFailures.breaksProducer(failure)).isTrue();
    }

    @Test
    void advisesWhatToDo() {
        assertThat(explain(new TimeoutException("not present", new UnknownTopicOrPartitionException("u"))))
                .isEqualTo("dead letter of orders-3@42 cannot be published to dlq.billing.orders: the topic does not"
                        + " exist; create it (org.apache.kafka.common.errors.TimeoutException: not present)");
        assertThat(explain(new TopicAuthorizationException(Set.of("dlq.billing.orders"))))
                .contains("grant WRITE and DESCRIBE on topic dlq.billing.orders");
        assertThat(explain(new ClusterAuthorizationException("c"))).contains("IDEMPOTENT_WRITE");
        assertThat(explain(new SaslAuthenticationException("s"))).contains("credentials");
        assertThat(explain(new RecordTooLargeException("r"))).contains("max.message.bytes", "max.request.size");
        assertThat(explain(new TimeoutException("t"))).contains("brokers can be reached");
        assertThat(explain(new KafkaException("a\nb"))).contains("a\\nb").doesNotContain("\n");
    }

    private static String explain(Throwable failure) {
        return PublishFailures.explain(Letters.of(Letters.record("orders", 3, 42)), "dlq.billing.orders", failure);
    }
}
