package dev.onceward.engine;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** The parts of a group that are still to run, the next one first. Each runs in a transaction of its own. */
final class Parts {
    private final Deque<List<Delivery>> waiting = new ArrayDeque<>();

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    List<Delivery> next() {
        return waiting.removeFirst();
    }

    /** These run next. */
    void pushFront(List<Delivery> part) {
        if (!part.isEmpty()) {
            waiting.addFirst(List.copyOf(part));
        }
    }

    /** All that another thread had still to run comes behind. */
    void addAll(Parts others) {
        waiting.addAll(others.waiting);
    }

    /** Nothing of it runs any more; returns it, in order. */
    List<Delivery> takeAll() {
        List<Delivery> all = new ArrayList<>();
        waiting.forEach(all::addAll);
        waiting.clear();
        return all;
    }

    /** The worker ends: nothing of it runs here any more. */
    void clear() {
        waiting.clear();
    }

    /** Whether every partition concerned may still be worked on. */
    boolean allRunning() {
        return waiting.stream()
                .flatMap(List::stream)
                .allMatch(delivery -> delivery.partition().in(PartitionState.RUNNING));
    }

    /** One of them is to blame: those before it run again as a group, it runs alone, those behind it as a group. */
    void around(List<Delivery> part, int culprit) {
        pushFront(part.subList(culprit + 1, part.size()));
        pushFront(part.subList(culprit, culprit + 1));
        pushFront(part.subList(0, culprit));
    }

    void halve(List<Delivery> part) {
        int middle = part.size() / 2;
        pushFront(part.subList(middle, part.size()));
        pushFront(part.subList(0, middle));
    }

    /** Into groups of this size at most; at least into halves. */
    void split(List<Delivery> part, int atMost) {
        int size = Math.min(atMost, (part.size() + 1) / 2);
        for (int end = part.size(); end > 0; ) {
            int start = (end - 1) / size * size;
            pushFront(part.subList(start, end));
            end = start;
        }
    }
}
