package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetCommitCallback;
import org.apache.kafka.clients.consumer.RetriableCommitFailedException;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

/** When commits are sent; Kafka's own mock stands for a consumer whose answers the test gives. */
class OffsetCommitterTest {
    private static final TopicPartition PARTITION = new TopicPartition("payments", 0);
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final SlowAnswers consumer = new SlowAnswers();
    private final Partitions partitions = new Partitions();
    private final OwnedPartition partition =
            new OwnedPartition(PARTITION, false, Clock.systemUTC(), () -> {}, RealMachine.INSTANCE);
    private final AtomicLong nanos = new AtomicLong();
    private final OffsetCommitter committer =
            new OffsetCommitter(consumer, partitions, "worker-a", INTERVAL, nanos::get);

    OffsetCommitterTest() {
        consumer.assign(List.of(PARTITION));
        consumer.seek(PARTITION, 0);
        partition.positioned(new UUID(0, 1), 0, 0);
        partitions.add(partition);
        consumer.sent.clear();
    }

    @Test
    void noCommitIsSentWhileAnotherIsUnderWay() {
        finishedUpTo(10);
        later(INTERVAL);
        finishedUpTo(20);
        later(INTERVAL);
        assertThat(consumer.sent).hasSize(1);

        consumer.answer(null);
        later(INTERVAL);
        assertThat(offsets()).containsExactly(10L, 20L);
    }

    @Test
    void eachTellsWhoSentItAndHowManyWentBefore() {
        finishedUpTo(10);
        later(INTERVAL);
        consumer.answer(null);
        finishedUpTo(20);
        later(INTERVAL);
        assertThat(consumer.sent)
                .extracting(sent -> sent.get(PARTITION).metadata())
                .containsExactly("onceward worker-a 1", "onceward worker-a 2");
    }

    @Test
    void aWhileAfterAFailureEverythingIsCommittedOnceMore() {
        finishedUpTo(10);
        later(INTERVAL);
        consumer.answer(new RetriableCommitFailedException("the connection broke"));
        later(INTERVAL);
        consumer.answer(null);
        later(INTERVAL);
        assertThat(offsets()).as("nothing has moved").containsExactly(10L, 10L);

        later(Duration.ofMinutes(1));
        assertThat(offsets()).as("the first one may have arrived late").containsExactly(10L, 10L, 10L);
        consumer.answer(null);
        later(Duration.ofMinutes(5));
        assertThat(consumer.sent).hasSize(3);
    }

    @Test
    void anAnswerThatNeverComesDoesNotEndCommitting() {
        finishedUpTo(10);
        later(INTERVAL);
        finishedUpTo(20);
        later(Duration.ofMinutes(2));
        assertThat(offsets()).containsExactly(10L, 20L);
    }

    /** Found by simulation: fenced while a commit was under way, the partition began anew behind it. */
    @Test
    void anIncarnationThatBeganAnewDoesNotGoBackBehindACommitOfTheOneBefore() {
        finishedUpTo(20);
        later(INTERVAL);
        OwnedPartition anew = new OwnedPartition(PARTITION, false, Clock.systemUTC(), () -> {}, RealMachine.INSTANCE);
        anew.positioned(new UUID(0, 1), 10, 0);
        anew.takenAgain();
        anew.committed(10);
        partitions.add(anew);
        consumer.answer(new RetriableCommitFailedException("the answer was lost"));

        finishedUpTo(19);
        later(INTERVAL);
        committer.commitNow(List.of(anew), INTERVAL);
        assertThat(offsets()).containsExactly(20L);

        finishedUpTo(21);
        later(INTERVAL);
        assertThat(offsets()).containsExactly(20L, 21L);
    }

    private void finishedUpTo(long offset) {
        consumer.seek(PARTITION, offset);
    }

    private void later(Duration time) {
        nanos.addAndGet(time.toNanos());
        committer.commitIfDue();
    }

    private List<Long> offsets() {
        return consumer.sent.stream().map(sent -> sent.get(PARTITION).offset()).toList();
    }

    /** Answers a commit when the test says so. */
    private static final class SlowAnswers extends MockConsumer<byte[], byte[]> {
        private final List<Map<TopicPartition, OffsetAndMetadata>> sent = new ArrayList<>();
        private OffsetCommitCallback callback = (offsets, failure) -> {};

        SlowAnswers() {
            super("none");
        }

        @Override
        public synchronized void commitAsync(
                Map<TopicPartition, OffsetAndMetadata> offsets, OffsetCommitCallback onAnswer) {
            sent.add(offsets);
            callback = onAnswer;
        }

        void answer(Exception failure) {
            callback.onComplete(sent.get(sent.size() - 1), failure);
        }
    }
}
