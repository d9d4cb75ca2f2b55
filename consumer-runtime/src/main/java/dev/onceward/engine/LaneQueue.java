package dev.onceward.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.PriorityQueue;

/**
 * The order in which a lane takes its messages: by age, in groups preferably of one partition, and never a message past
 * an earlier one of its ordering key. Pure bookkeeping; not thread-safe.
 *
 * <p>Messages wait in {@code ready}, one queue for each partition. A message that failed becomes the <em>head</em> of
 * its held key; those behind it move to its followers when the lane comes to them, and return to the front of their
 * queue when the head is finished. Order within a key holds because a message enters {@code ready} only at the back,
 * and returns only to the front, ahead of everything later.
 */
final class LaneQueue {
    private final Map<OwnedPartition, Ready> ready = new HashMap<>();
    private final PriorityQueue<Ready> byAge = new PriorityQueue<>(Comparator.comparingLong(Ready::oldest));
    private final Map<OrderingKey, Held> held = new HashMap<>();
    private final PriorityQueue<Held> due = new PriorityQueue<>(Comparator.comparingLong(h -> h.dueNanos));
    private long arrivals;

    /** A new message, behind all others. */
    void add(Delivery delivery) {
        delivery.arrival = arrivals++;
        Ready queue = readyOf(delivery.partition());
        update(queue, () -> queue.entries.addLast(delivery));
    }

    /** Messages taken before return to the front, in their order and with their age. */
    void giveBack(List<Delivery> deliveries) {
        for (int i = deliveries.size() - 1; i >= 0; i--) {
            Delivery delivery = deliveries.get(i);
            Ready queue = readyOf(delivery.partition());
            update(queue, () -> queue.entries.addFirst(delivery));
        }
    }

    /**
     * The messages to run next, none of a held key: up to {@code max}, beginning with the oldest. One that comes with a
     * delay becomes the head of its key when its turn has come, and not before: those ahead of it are earlier.
     */
    List<Delivery> takeGroup(int max, long nowNanos) {
        List<Delivery> group = new ArrayList<>();
        while (group.size() < max) {
            Ready oldest = byAge.poll();
            if (oldest == null) {
                break;
            }
            boolean full = moveInto(group, oldest, max, nowNanos);
            if (oldest.entries.isEmpty()) {
                ready.remove(oldest.partition);
            } else {
                byAge.add(oldest);
            }
            if (full) {
                break;
            }
        }
        return group;
    }

    private boolean moveInto(List<Delivery> group, Ready queue, int max, long nowNanos) {
        while (!queue.entries.isEmpty()) {
            Delivery next = queue.entries.getFirst();
            Held key = held.get(next.orderingKey());
            if (key != null) {
                key.followers.addLast(next);
                queue.entries.removeFirst();
                continue;
            }
            if (next.waits && next.dueNanos - nowNanos > 0) {
                if (group.stream().anyMatch(taken -> taken.orderingKey().equals(next.orderingKey()))) {
                    return true; // what is taken runs first, and may hold the key itself
                }
                queue.entries.removeFirst();
                hold(next, next.dueNanos);
                continue;
            }
            boolean alone = next.suspect() || next.strikes > 0;
            if (group.size() == max || (alone && !group.isEmpty())) {
                return true;
            }
            queue.entries.removeFirst();
            group.add(next);
            if (alone) {
                return true;
            }
        }
        return false;
    }

    /** Whether it holds its key itself. */
    boolean isHead(Delivery delivery) {
        Held key = held.get(delivery.orderingKey());
        return key != null && key.head == delivery;
    }

    /**
     * Puts a message that was taken behind the head of its key, if another message holds that. One step: between a
     * question and a deed of its own the poll thread may drop the partition, and the key with it.
     *
     * @return whether it waits there now; else it may run
     */
    boolean followIfHeld(Delivery delivery) {
        Held key = held.get(delivery.orderingKey());
        if (key == null || key.head == delivery) {
            return false;
        }
        key.followers.addLast(delivery);
        return true;
    }

    /** The message holds its key until {@link #release}; it is due again at {@code dueNanos}. */
    void hold(Delivery head, long dueNanos) {
        Held key = held.computeIfAbsent(head.orderingKey(), k -> new Held(head));
        if (key.head != head) {
            throw new IllegalStateException(head + " cannot hold a key held by " + key.head);
        }
        due.remove(key);
        key.dueNanos = dueNanos;
        due.add(key);
    }

    /** As {@link #hold}, until somebody says when it is due. */
    void park(Delivery head) {
        hold(head, Long.MAX_VALUE);
        due.remove(held.get(head.orderingKey()));
    }

    /** A head whose time has come; it stays the head of its key. */
    Optional<Delivery> takeDue(long nowNanos) {
        Held first = due.peek();
        if (first == null || first.dueNanos - nowNanos > 0) {
            return Optional.empty();
        }
        due.remove();
        return Optional.of(first.head);
    }

    /** When the next head is due. */
    OptionalLong nextDueNanos() {
        Held first = due.peek();
        return first == null ? OptionalLong.empty() : OptionalLong.of(first.dueNanos);
    }

    /** The head is finished: those behind it are next. */
    void release(Delivery head) {
        Held key = held.get(head.orderingKey());
        if (key != null && key.head == head) {
            held.remove(head.orderingKey());
            due.remove(key);
            giveBack(List.copyOf(key.followers));
        }
    }

    /**
     * Forgets what waits of a partition and has not begun; a dead letter whose publication is under way stays, to be
     * confirmed. Returns what it forgot.
     */
    List<Delivery> dropWaiting(OwnedPartition partition) {
        List<Delivery> dropped = dropReady(partition);
        for (Iterator<Held> keys = held.values().iterator(); keys.hasNext(); ) {
            Held key = keys.next();
            if (key.head.partition() == partition) {
                dropped.addAll(key.followers);
                key.followers.clear();
                if (!key.head.holdsPermit) {
                    keys.remove();
                    due.remove(key);
                    dropped.add(key.head);
                }
            }
        }
        return dropped;
    }

    /** Forgets everything of a partition. Returns what it forgot. */
    List<Delivery> drop(OwnedPartition partition) {
        List<Delivery> dropped = dropWaiting(partition);
        for (Iterator<Held> keys = held.values().iterator(); keys.hasNext(); ) {
            Held key = keys.next();
            if (key.head.partition() == partition) {
                keys.remove();
                due.remove(key);
                dropped.add(key.head);
            }
        }
        return dropped;
    }

    private List<Delivery> dropReady(OwnedPartition partition) {
        List<Delivery> dropped = new ArrayList<>();
        Ready queue = ready.remove(partition);
        if (queue != null) {
            byAge.remove(queue);
            dropped.addAll(queue.entries);
        }
        return dropped;
    }

    /** Whether {@link #takeGroup} may have something. */
    boolean hasReady() {
        return !byAge.isEmpty();
    }

    int heldKeys() {
        return held.size();
    }

    private Ready readyOf(OwnedPartition partition) {
        return ready.computeIfAbsent(partition, Ready::new);
    }

    /** Changes a queue, keeping its place by age. */
    private void update(Ready queue, Runnable change) {
        boolean front = queue.entries.isEmpty();
        long before = front ? 0 : queue.oldest();
        change.run();
        if (front) {
            byAge.add(queue);
        } else if (queue.oldest() != before) {
            byAge.remove(queue);
            byAge.add(queue);
        }
    }

    private static final class Ready {
        final OwnedPartition partition;
        final Deque<Delivery> entries = new ArrayDeque<>();

        Ready(OwnedPartition partition) {
            this.partition = partition;
        }

        long oldest() {
            return entries.getFirst().arrival;
        }
    }

    private static final class Held {
        final Delivery head;
        final Deque<Delivery> followers = new ArrayDeque<>();
        long dueNanos;

        Held(Delivery head) {
            this.head = head;
        }
    }
}
