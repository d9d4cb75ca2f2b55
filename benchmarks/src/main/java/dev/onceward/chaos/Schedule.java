package dev.onceward.chaos;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Random;

/**
 * When which fault happens: decided by the seed alone. Kinds are drawn like cards from a shuffled pack, so that each one
 * comes about equally often, and none is missing from a run that is long enough.
 */
final class Schedule {
    private static final Duration CALM_AT_FIRST = Duration.ofSeconds(10);
    private static final long LEAST_GAP_MILLIS = 2_000;
    private static final int MORE_GAP_MILLIS = 4_000;

    private Schedule() {}

    /** The faults of a run, in order. */
    static List<PlannedFault> of(long seed, Duration length, List<FaultKind> kinds) {
        Random random = new Random(seed);
        Deque<FaultKind> pack = new ArrayDeque<>();
        List<PlannedFault> faults = new ArrayList<>();
        Duration at = CALM_AT_FIRST;
        while (at.compareTo(length) < 0) {
            if (pack.isEmpty()) {
                List<FaultKind> shuffled = new ArrayList<>(kinds);
                Collections.shuffle(shuffled, random);
                pack.addAll(shuffled);
            }
            faults.add(new PlannedFault(at, pack.remove(), random.nextLong()));
            at = at.plusMillis(LEAST_GAP_MILLIS + random.nextInt(MORE_GAP_MILLIS));
        }
        return List.copyOf(faults);
    }

    /** With every kind there is. */
    static List<PlannedFault> of(long seed, Duration length) {
        return of(seed, length, Arrays.asList(FaultKind.values()));
    }
}
