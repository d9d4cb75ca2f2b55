package dev.onceward.engine;

import dev.onceward.postgres.Fence;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/**
 * One incarnation of a partition: from an assignment (or a new beginning after being fenced) to its end. A later
 * incarnation is another object, so that late results of this one reach nobody.
 *
 * <p>The poll thread moves it from state to state and alone touches {@link #waiting}; lanes ask for permission before
 * they work on it.
 */
final class OwnedPartition {
    private final TopicPartition topicPartition;
    private final boolean replay;
    private final Deque<ConsumerRecord<byte[], byte[]>> waiting = new ArrayDeque<>();
    private final Unconfirmed unconfirmed = new Unconfirmed();
    private final Machine machine;
    private final Machine.Monitor lock;
    private PartitionState state = PartitionState.POSITIONING;
    private int working;
    private volatile OffsetWindow window = new OffsetWindow(0);
    private volatile @Nullable UUID topicId;
    private volatile long earliest;
    private volatile @Nullable Fence fence;
    private volatile StoredFacts facts = StoredFacts.NONE;
    private volatile boolean again;
    private volatile boolean suspicious;
    private long suspiciousBefore;
    private long committed = -1;
    private boolean stale;
    private final PartitionAge age;

    OwnedPartition(TopicPartition topicPartition, boolean replay, Clock clock, Runnable skewed, Machine machine) {
        this.machine = machine;
        this.lock = machine.monitor();
        this.topicPartition = topicPartition;
        this.replay = replay;
        this.age = new PartitionAge(clock, this::window, skewed);
    }

    TopicPartition topicPartition() {
        return topicPartition;
    }

    /** Whether it belongs to the consumer's replay topic. */
    boolean replay() {
        return replay;
    }

    /** Whether it is known where fetching begins, and of which topic; until then its window says nothing. */
    boolean hasPosition() {
        return topicId != null;
    }

    OffsetWindow window() {
        return window;
    }

    PartitionAge age() {
        return age;
    }

    UUID topicId() {
        UUID id = topicId;
        if (id == null) {
            throw new IllegalStateException(this + " has no topic id yet");
        }
        return id;
    }

    Fence fence() {
        Fence current = fence;
        if (current == null) {
            throw new IllegalStateException(this + " is not taken over");
        }
        return current;
    }

    /** The fence, once it is taken over. */
    Optional<Fence> takenOver() {
        return Optional.ofNullable(fence);
    }

    StoredFacts facts() {
        return facts;
    }

    /** Records that are fetched and not handed to a lane. Poll thread only. */
    Deque<ConsumerRecord<byte[], byte[]>> waiting() {
        return waiting;
    }

    /** Records that are fetched and may be of another topic. Poll thread only. */
    Unconfirmed unconfirmed() {
        return unconfirmed;
    }

    PartitionState state() {
        return lock.underLock(() -> state);
    }

    boolean in(PartitionState wanted) {
        return lock.underLock(() -> state == wanted);
    }

    /** Tells the first time only: many of its messages may find out. Poll thread only. */
    boolean foundStale() {
        boolean first = !stale;
        stale = true;
        return first;
    }

    /** This worker had it until another one took it, and is alive: so no message here ended a worker. */
    void takenAgain() {
        again = true;
    }

    boolean isTakenAgain() {
        return again;
    }

    /** The oldest offset that the broker had when fetching began. */
    long earliest() {
        return earliest;
    }

    /** Fetching begins at {@code position}, of what the broker has from {@code oldest} on. */
    void positioned(UUID id, long position, long oldest) {
        topicId = id;
        earliest = oldest;
        window = new OffsetWindow(position);
        become(PartitionState.WAITING);
    }

    void takingOver() {
        become(PartitionState.TAKING_OVER);
    }

    /**
     * Owned from now on.
     *
     * @param suspiciousUntil records before this offset run one at a time, because workers died here; 0: none
     */
    void running(Fence taken, StoredFacts stored, long suspiciousUntil) {
        fence = taken;
        facts = stored;
        suspiciousBefore = suspiciousUntil;
        suspicious = suspiciousUntil > 0;
        become(PartitionState.RUNNING);
    }

    /** Whether its next records run one at a time; ends with the records that may have killed a worker. */
    boolean suspicious() {
        return suspicious;
    }

    /** Ends the suspicion once its offsets are through; tells whether it ended just now. */
    boolean endSuspicionAt(long offset) {
        if (suspicious && offset >= suspiciousBefore) {
            suspicious = false;
            return true;
        }
        return false;
    }

    /** The offset Kafka has for it, as far as this incarnation knows; -1: unknown. Poll thread only. */
    long committed() {
        return committed;
    }

    void committed(long offset) {
        committed = Math.max(committed, offset);
    }

    /** Nothing new begins. */
    void draining() {
        lock.locked(() -> {
            if (state != PartitionState.DRAINING) {
                become(PartitionState.DRAINING);
            }
        });
    }

    /** Found stale: lanes begin nothing of it any more; the poll thread ends it soon. */
    void stopTaking() {
        lock.locked(() -> {
            if (state == PartitionState.RUNNING) {
                become(PartitionState.DRAINING);
            }
        });
    }

    /** Over; idempotent. */
    void end() {
        lock.locked(() -> {
            if (state != PartitionState.ENDED) {
                become(PartitionState.ENDED);
            }
        });
    }

    /** Asks for permission to begin work; whoever gets it calls {@link #endWork} afterwards. */
    boolean beginWork() {
        return lock.underLock(() -> {
            if (state != PartitionState.RUNNING) {
                return false;
            }
            working++;
            return true;
        });
    }

    void endWork() {
        lock.locked(() -> {
            working--;
            lock.signalAll();
        });
    }

    /** Waits until nothing works on it; false if it still does at the end of {@code patience}. */
    boolean awaitIdle(Duration patience) throws InterruptedException {
        lock.lock();
        try {
            long deadline = machine.nanoTime() + patience.toNanos();
            while (working > 0) {
                long left = deadline - machine.nanoTime();
                if (left <= 0) {
                    return false;
                }
                lock.awaitNanos(left);
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void become(PartitionState next) {
        lock.locked(() -> {
            if (!next.mayFollow(state)) {
                throw new IllegalStateException(topicPartition + " cannot become " + next + " after " + state);
            }
            state = next;
        });
    }

    /** Equal is only the same incarnation; but the order of maps by partition is the same in every run. */
    @Override
    public int hashCode() {
        return topicPartition.hashCode();
    }

    @Override
    public String toString() {
        return topicPartition + "[" + state() + "]";
    }
}
