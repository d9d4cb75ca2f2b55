package dev.onceward.deadletter;

import dev.onceward.handler.Coordinates;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BinaryOperator;

/**
 * Dead letters that are not published yet, and what went wrong with them: as many as there are records given up and
 * held, so bounded by what may be in flight.
 */
final class Troubles {
    private static final Trouble NONE = new Trouble(0, "");

    private final Map<Coordinates, Trouble> pending = new ConcurrentHashMap<>();
    private final AtomicLong failures = new AtomicLong();

    /** A letter is on its way, perhaps not for the first time. */
    void begin(Coordinates record) {
        pending.putIfAbsent(record, NONE);
    }

    /** It failed; no trouble of ours any more where it was forgotten meanwhile. */
    void failed(Coordinates record, String text) {
        pending.computeIfPresent(record, (same, before) -> new Trouble(failures.incrementAndGet(), text));
    }

    void published(Coordinates record) {
        pending.remove(record);
    }

    void forget(String topic, int partition) {
        pending.keySet()
                .removeIf(record ->
                        record.partition() == partition && record.topic().equals(topic));
    }

    /** The latest failure that still stands, and how many more there are. */
    Optional<String> text() {
        long count = pending.values().stream().filter(Trouble::stands).count();
        return pending.values().stream()
                .filter(Trouble::stands)
                .reduce(BinaryOperator.maxBy((a, b) -> Long.compare(a.number, b.number)))
                .map(latest -> count > 1 ? latest.text + "; and " + (count - 1) + " more" : latest.text);
    }

    private record Trouble(long number, String text) {
        boolean stands() {
            return number > 0;
        }
    }
}
