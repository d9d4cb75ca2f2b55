package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.postgres.Fence;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** Which state may follow which, of partitions and of workers. */
class StatesTest {

    @Test
    void aPartitionGoesForwardAndEndsOnce() {
        assertThat(next(PartitionState.POSITIONING))
                .containsExactly(PartitionState.WAITING, PartitionState.DRAINING, PartitionState.ENDED);
        assertThat(next(PartitionState.WAITING))
                .containsExactly(PartitionState.TAKING_OVER, PartitionState.DRAINING, PartitionState.ENDED);
        assertThat(next(PartitionState.TAKING_OVER))
                .containsExactly(PartitionState.RUNNING, PartitionState.DRAINING, PartitionState.ENDED);
        assertThat(next(PartitionState.RUNNING)).containsExactly(PartitionState.DRAINING, PartitionState.ENDED);
        assertThat(next(PartitionState.DRAINING)).containsExactly(PartitionState.ENDED);
        assertThat(next(PartitionState.ENDED)).isEmpty();
    }

    private static Set<PartitionState> next(PartitionState from) {
        Set<PartitionState> next = EnumSet.noneOf(PartitionState.class);
        Arrays.stream(PartitionState.values())
                .filter(state -> state.mayFollow(from))
                .forEach(next::add);
        return next;
    }

    @Test
    void aWorkerGoesForwardAndNeverBackFromItsEnd() {
        assertThat(next(WorkerState.NEW)).containsExactly(WorkerState.STARTING, WorkerState.STOPPED);
        assertThat(next(WorkerState.STARTING))
                .containsExactly(WorkerState.RUNNING, WorkerState.STOPPING, WorkerState.FAILED);
        assertThat(next(WorkerState.RUNNING)).containsExactly(WorkerState.STOPPING, WorkerState.FAILED);
        assertThat(next(WorkerState.STOPPING)).containsExactly(WorkerState.STOPPED, WorkerState.FAILED);
        assertThat(next(WorkerState.STOPPED)).isEmpty();
        assertThat(next(WorkerState.FAILED)).isEmpty();
    }

    private static Set<WorkerState> next(WorkerState from) {
        Set<WorkerState> next = EnumSet.noneOf(WorkerState.class);
        Arrays.stream(WorkerState.values())
                .filter(state -> state.mayFollow(from))
                .forEach(next::add);
        return next;
    }

    @Test
    void theFirstReasonOfAFailureIsKept() {
        Lifecycle lifecycle = new Lifecycle();
        assertThat(lifecycle.to(WorkerState.RUNNING)).isFalse();
        assertThat(lifecycle.to(WorkerState.STARTING)).isTrue();
        assertThat(lifecycle.to(WorkerState.RUNNING)).isTrue();
        assertThat(lifecycle.fail("first", new IllegalStateException("x"))).isTrue();
        assertThat(lifecycle.fail("second", new IllegalStateException("y"))).isFalse();
        assertThat(lifecycle.failure())
                .hasValueSatisfying(why -> assertThat(why).contains("first", "x"));
        assertThat(lifecycle.to(WorkerState.STOPPING)).isFalse();
        assertThat(lifecycle.is(WorkerState.FAILED)).isTrue();
    }

    @Test
    void workBeginsOnlyOnARunningPartitionAndIsWaitedFor() throws InterruptedException {
        OwnedPartition partition = Deliveries.partition(0);
        assertThat(partition.beginWork()).isFalse();
        partition.positioned(new UUID(0, 1), 5, 0);
        assertThat(partition.beginWork()).isFalse();
        partition.takingOver();
        assertThat(partition.beginWork()).isFalse();
        assertThat(partition.takenOver()).isEmpty();
        partition.running(new Fence(1, 1), StoredFacts.NONE, 0);
        assertThat(partition.beginWork()).isTrue();
        partition.draining();
        assertThat(partition.beginWork()).isFalse();
        assertThat(partition.awaitIdle(java.time.Duration.ZERO)).isFalse();
        partition.endWork();
        assertThat(partition.awaitIdle(java.time.Duration.ZERO)).isTrue();
        partition.end();
        partition.end();
        assertThatThrownBy(partition::takingOver).isInstanceOf(IllegalStateException.class);
    }
}
