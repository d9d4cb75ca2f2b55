package dev.onceward.chaos;

import dev.onceward.testsupport.guarantees.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Whether a worker that lives through all of it holds more and more. What it holds goes up and down, with the partitions it
 * has and the handlers that hang; a leak shows when what it usually (the median) holds in the last quarter of its life is
 * more than the most it held in the first half. Thread-safe.
 */
final class NothingGrows {
    /** How often a worker tells. */
    static final Duration INTERVAL = Duration.ofSeconds(2);
    /** A shorter life tells nothing. */
    private static final int LEAST = (int) (Duration.ofMinutes(8).toMillis() / INTERVAL.toMillis());

    private final Map<String, List<Vitals>> samples = new ConcurrentHashMap<>();

    void tell(String workerId, Vitals vitals) {
        samples.computeIfAbsent(workerId, id -> new CopyOnWriteArrayList<>()).add(vitals);
    }

    /** With nothing checked, and so not held, if no worker lived long enough: one that ran out of memory, say. */
    Finding finding() {
        List<String> violations = new ArrayList<>();
        long checked = 0;
        for (Map.Entry<String, List<Vitals>> worker : samples.entrySet()) {
            List<Vitals> all = List.copyOf(worker.getValue());
            if (all.size() >= LEAST) {
                checked += all.size();
                for (int i = 0; i < Vitals.NAMES.size(); i++) {
                    int number = i;
                    long most = all.subList(0, all.size() / 2).stream()
                            .mapToLong(vitals -> vitals.values().get(number))
                            .max()
                            .orElse(0);
                    List<Long> last = all.subList(all.size() * 3 / 4, all.size()).stream()
                            .map(vitals -> vitals.values().get(number))
                            .sorted()
                            .toList();
                    long usual = last.get(last.size() / 2);
                    if (usual > most) {
                        violations.add(worker.getKey() + ": usually " + usual + " " + Vitals.NAMES.get(number)
                                + " towards the end, at most " + most + " in the first half");
                    }
                }
            }
        }
        return new Finding("NothingGrows", checked, violations.size(), violations);
    }
}
