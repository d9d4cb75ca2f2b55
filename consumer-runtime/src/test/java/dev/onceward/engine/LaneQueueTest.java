package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class LaneQueueTest {
    private final LaneQueue queue = new LaneQueue();
    private final OwnedPartition p0 = Deliveries.partition(0);
    private final OwnedPartition p1 = Deliveries.partition(1);

    @Test
    void takesTheOldestFirstAndItsPartitionBeforeOthers() {
        Delivery a = added(p0, 0, "a");
        Delivery b = added(p1, 0, "b");
        Delivery c = added(p0, 1, "c");
        Delivery d = added(p1, 1, "d");

        assertThat(queue.takeGroup(3, 0)).containsExactly(a, c, b);
        assertThat(queue.takeGroup(3, 0)).containsExactly(d);
        assertThat(queue.takeGroup(3, 0)).isEmpty();
        assertThat(queue.hasReady()).isFalse();
    }

    @Test
    void aPartitionsSingleMessageIsNotStarvedByAnothersBacklog() {
        for (int i = 0; i < 10; i++) {
            added(p0, i, "k" + i);
        }
        Delivery single = added(p1, 0, "single");
        for (int i = 10; i < 1_000; i++) {
            added(p0, i, "k" + i);
        }
        queue.takeGroup(5, 0);
        assertThat(queue.takeGroup(5, 0)).doesNotContain(single);
        assertThat(queue.takeGroup(5, 0)).startsWith(single);
    }

    @Test
    void whatIsGivenBackComesFirstAgainInItsOrder() {
        Delivery a = added(p0, 0, "a");
        Delivery b = added(p0, 1, "b");
        added(p0, 2, "c");
        List<Delivery> taken = queue.takeGroup(2, 0);
        queue.giveBack(taken);
        assertThat(queue.takeGroup(2, 0)).containsExactly(a, b);
    }

    @Test
    void whatIsGivenBackKeepsItsAge() {
        Delivery a = added(p0, 0, "a");
        Delivery b = added(p1, 0, "b");
        queue.giveBack(queue.takeGroup(1, 0));
        assertThat(queue.takeGroup(2, 0)).containsExactly(a, b);
    }

    @Test
    void aHeldKeyHoldsThoseBehindItAndOnlyThem() {
        Delivery a0 = added(p0, 0, "a");
        Delivery b = added(p0, 1, "b");
        Delivery a1 = added(p0, 2, "a");
        assertThat(queue.takeGroup(1, 0)).containsExactly(a0);
        queue.hold(a0, 100);

        assertThat(queue.takeGroup(10, 0)).containsExactly(b);
        assertThat(queue.isHead(a0)).isTrue();
        assertThat(queue.heldKeys()).isEqualTo(1);
        assertThat(queue.takeDue(99)).isEmpty();
        assertThat(queue.takeDue(100)).contains(a0);
        assertThat(queue.takeDue(100)).isEmpty();

        queue.release(a0);
        assertThat(queue.takeGroup(10, 0)).containsExactly(a1);
        assertThat(queue.heldKeys()).isZero();
    }

    @Test
    void theSameKeyInAnotherPartitionIsAnotherKey() {
        Delivery a = added(p0, 0, "a");
        Delivery other = added(p1, 0, "a");
        queue.takeGroup(1, 0);
        queue.hold(a, 100);
        assertThat(queue.takeGroup(10, 0)).containsExactly(other);
    }

    @Test
    void followersComeBackAheadOfWhatArrivedLater() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        queue.takeGroup(1, 0);
        queue.hold(a0, 100);
        assertThat(queue.takeGroup(10, 0)).isEmpty();
        Delivery b = added(p0, 2, "b");
        Delivery a2 = added(p0, 3, "a");

        queue.release(a0);
        assertThat(queue.takeGroup(10, 0)).containsExactly(a1, b, a2);
    }

    @Test
    void aParkedHeadIsDueOnlyWhenSomebodySaysSo() {
        Delivery a = added(p0, 0, "a");
        queue.takeGroup(1, 0);
        queue.park(a);
        assertThat(queue.nextDueNanos()).isEmpty();
        assertThat(queue.takeDue(Long.MAX_VALUE - 1)).isEmpty();
        queue.hold(a, 5);
        assertThat(queue.nextDueNanos()).hasValue(5);
        assertThat(queue.takeDue(5)).contains(a);
    }

    @Test
    void timesAreComparedAsNanoTimeWants() {
        Delivery a = added(p0, 0, "a");
        queue.takeGroup(1, 0);
        queue.hold(a, Long.MIN_VALUE + 10); // ten after the clock wrapped round
        assertThat(queue.takeDue(Long.MAX_VALUE - 10)).isEmpty();
        assertThat(queue.takeDue(Long.MIN_VALUE + 10)).contains(a);
    }

    @Test
    void aMessageWithADelayHoldsItsKeyFromItsTurnOn() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = waiting(p0, 1, "a", 100);
        Delivery a2 = added(p0, 2, "a");
        assertThat(queue.takeGroup(10, 0)).containsExactly(a0);
        assertThat(queue.followIfHeld(a0)).as("its turn has come").isFalse();
        assertThat(queue.takeGroup(10, 0)).isEmpty();
        assertThat(queue.isHead(a1)).isTrue();
        assertThat(queue.takeDue(100)).contains(a1);
        queue.release(a1);
        assertThat(queue.takeGroup(10, 0)).containsExactly(a2);
    }

    @Test
    void aMessageWhoseDelayIsOverRunsAsAnyOther() {
        Delivery a = waiting(p0, 0, "a", 100);
        Delivery b = added(p0, 1, "b");
        assertThat(queue.takeGroup(10, 100)).containsExactly(a, b);
    }

    @Test
    void aSuspectAndAMessageThatBrokeItsConnectionRunAlone() {
        Delivery a = added(p0, 0, "a");
        Delivery suspect = Deliveries.of(p0, 1, "s", true);
        queue.add(suspect);
        Delivery striking = added(p0, 2, "b");
        striking.strikes = 1;
        Delivery c = added(p0, 3, "c");
        assertThat(queue.takeGroup(10, 0)).containsExactly(a);
        assertThat(queue.takeGroup(10, 0)).containsExactly(suspect);
        assertThat(queue.takeGroup(10, 0)).containsExactly(striking);
        assertThat(queue.takeGroup(10, 0)).containsExactly(c);
    }

    @Test
    void dropsAllOfAPartitionAndNothingElse() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        Delivery b = added(p0, 2, "b");
        Delivery other = added(p1, 0, "a");
        queue.takeGroup(1, 0);
        queue.hold(a0, 100);
        queue.takeGroup(1, 0); // a1 follows, b is taken
        queue.giveBack(List.of(b));

        assertThat(queue.drop(p0)).containsExactlyInAnyOrder(a0, a1, b);
        assertThat(queue.heldKeys()).isZero();
        assertThat(queue.nextDueNanos()).isEmpty();
        assertThat(queue.takeGroup(10, 0)).containsExactly(other);
        assertThat(queue.drop(p0)).isEmpty();
    }

    @Test
    void whatIsBeingPublishedStaysUntilItIsConfirmedThoughItsPartitionIsGivenBack() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        Delivery b0 = added(p0, 2, "b");
        Delivery c = added(p0, 3, "c");
        queue.takeGroup(1, 0);
        a0.holdsPermit = true;
        queue.park(a0);
        assertThat(queue.takeGroup(1, 0)).containsExactly(b0);
        queue.hold(b0, 100);

        assertThat(queue.dropWaiting(p0)).containsExactlyInAnyOrder(a1, b0, c);
        queue.hold(a0, 5);
        assertThat(queue.takeDue(5)).contains(a0);
        assertThat(queue.drop(p0)).containsExactly(a0);
    }

    @Test
    void aMessageInHandFollowsTheHeadOfItsKey() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        queue.takeGroup(2, 0);
        assertThat(queue.followIfHeld(a1)).as("nobody holds the key").isFalse();

        queue.hold(a0, 100);
        assertThat(queue.followIfHeld(a0)).as("it holds the key itself").isFalse();
        assertThat(queue.followIfHeld(a1)).isTrue();

        queue.release(a0);
        assertThat(queue.takeGroup(2, 0)).containsExactly(a1);
    }

    /** A revoke while the lane lines up those behind a message that failed. */
    @Test
    void aMessageInHandWhoseKeyWasDroppedFollowsNobody() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        queue.takeGroup(2, 0);
        queue.hold(a0, 100);
        queue.drop(p0);

        assertThat(queue.followIfHeld(a1)).isFalse();
        assertThat(queue.heldKeys()).isZero();
    }

    @Test
    void onlyTheHeadOfAKeyHoldsIt() {
        Delivery a0 = added(p0, 0, "a");
        Delivery a1 = added(p0, 1, "a");
        queue.takeGroup(1, 0);
        queue.hold(a0, 100);
        assertThatThrownBy(() -> queue.hold(a1, 100)).isInstanceOf(IllegalStateException.class);
        queue.release(a1);
        assertThat(queue.isHead(a0)).isTrue();
    }

    private Delivery added(OwnedPartition partition, long offset, String key) {
        Delivery delivery = Deliveries.of(partition, offset, key);
        queue.add(delivery);
        return delivery;
    }

    private Delivery waiting(OwnedPartition partition, long offset, String key, long dueNanos) {
        Delivery delivery = Deliveries.of(partition, offset, key);
        delivery.waits = true;
        delivery.dueNanos = dueNanos;
        queue.add(delivery);
        return delivery;
    }
}
