package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random work of a lane on its queue: every key in order, nothing lost, nothing twice. A failing seed is in the name. */
class LaneQueueModelTest {

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8})
    void orderPerKeyAndNothingLost(int group) {
        for (int seed = group * 1_000; seed < group * 1_000 + 250; seed++) {
            new Simulation(seed).run();
        }
    }

    private static final class Simulation {
        private final Random random;
        private final int seed;
        private final LaneQueue queue = new LaneQueue();
        private final List<OwnedPartition> partitions = new ArrayList<>();
        private final Map<OwnedPartition, Long> nextOffset = new HashMap<>();
        private final Set<Delivery> unfinished = new HashSet<>();
        private final Map<OrderingKey, Long> finished = new HashMap<>();
        /** Heads whose publication is on its way. */
        private final List<Delivery> parked = new ArrayList<>();

        private long now = -50; // so that the clock passes 0

        Simulation(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            for (int i = 0; i < 3; i++) {
                partitions.add(Deliveries.partition(i));
            }
        }

        void run() {
            for (int i = 0; i < 200; i++) {
                now += random.nextInt(3);
                switch (random.nextInt(10)) {
                    case 0, 1, 2, 3 -> arrive();
                    case 4 -> answerPublication();
                    case 5 -> {
                        if (random.nextInt(20) == 0) {
                            revoke();
                        }
                    }
                    default -> work(true);
                }
            }
            for (int i = 0; i < 10_000 && !unfinished.isEmpty(); i++) {
                now++;
                answerPublication();
                work(false);
            }
            assertThat(unfinished).as("unfinished at the end, seed %s", seed).isEmpty();
            assertThat(queue.heldKeys()).as("held at the end, seed %s", seed).isZero();
            assertThat(queue.hasReady()).as("ready at the end, seed %s", seed).isFalse();
            assertThat(queue.nextDueNanos()).as("due at the end, seed %s", seed).isEmpty();
        }

        private void arrive() {
            OwnedPartition partition = partitions.get(random.nextInt(partitions.size()));
            for (int i = random.nextInt(5); i >= 0; i--) {
                long offset = nextOffset.merge(partition, 1L, Long::sum);
                Delivery delivery = Deliveries.of(partition, offset, "k" + random.nextInt(4));
                if (random.nextInt(6) == 0) {
                    delivery.waits = true;
                    delivery.dueNanos = now + random.nextInt(20);
                }
                if (random.nextInt(15) == 0) {
                    delivery.strikes = 1;
                }
                unfinished.add(delivery);
                queue.add(delivery);
            }
        }

        /** A new incarnation takes the place of the old one. */
        private void revoke() {
            int number = random.nextInt(partitions.size());
            OwnedPartition old = partitions.get(number);
            List<Delivery> mine =
                    unfinished.stream().filter(d -> d.partition() == old).toList();
            assertThat(queue.drop(old)).as("dropped, seed %s", seed).containsExactlyInAnyOrderElementsOf(mine);
            mine.forEach(unfinished::remove);
            parked.removeIf(d -> d.partition() == old);
            partitions.set(number, Deliveries.partition(number));
        }

        private void answerPublication() {
            if (!parked.isEmpty()) {
                queue.hold(parked.remove(random.nextInt(parked.size())), now + random.nextInt(3));
            }
        }

        /** As a lane works: heads that are due first, then a group, by the failure rule. */
        private void work(boolean troubled) {
            Optional<Delivery> head = queue.takeDue(now);
            if (head.isPresent()) {
                runAlone(head.get(), troubled);
                return;
            }
            Deque<Delivery> hand = new ArrayDeque<>(queue.takeGroup(1 + random.nextInt(6), now));
            while (!hand.isEmpty()) {
                if (troubled && random.nextInt(25) == 0) {
                    queue.giveBack(List.copyOf(hand)); // the lane stands still
                    return;
                }
                Delivery next = hand.removeFirst();
                if (!queue.followIfHeld(next)) {
                    assertThat(next.waits && next.dueNanos - now > 0)
                            .as("%s is not due, seed %s", next, seed)
                            .isFalse();
                    runAlone(next, troubled);
                }
            }
        }

        private void runAlone(Delivery delivery, boolean troubled) {
            int outcome = troubled ? random.nextInt(5) : 4;
            switch (outcome) {
                case 0, 1 -> queue.hold(delivery, now + random.nextInt(10));
                case 2 -> {
                    queue.park(delivery);
                    parked.add(delivery);
                }
                default -> finish(delivery);
            }
        }

        private void finish(Delivery delivery) {
            assertThat(unfinished.remove(delivery))
                    .as("%s once, seed %s", delivery, seed)
                    .isTrue();
            Long before = finished.put(delivery.orderingKey(), delivery.offset());
            assertThat(before == null || before < delivery.offset())
                    .as("%s after %s, seed %s", delivery, before, seed)
                    .isTrue();
            queue.release(delivery);
        }
    }
}
