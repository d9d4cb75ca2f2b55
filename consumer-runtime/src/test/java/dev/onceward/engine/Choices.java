package dev.onceward.engine;

import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Random;

/**
 * Every decision of a run, by what it is about. They are drawn from a seed and recorded, so that a run can be repeated, also
 * with some of them undone: 0 always is the choice by which nothing out of the ordinary happens.
 */
final class Choices {
    private final Map<Of, Stream> streams = new EnumMap<>(Of.class);

    /** Draws. */
    Choices(long seed) {
        for (Of of : Of.values()) {
            streams.put(of, new Stream(new int[0], new Random(seed ^ of.name().hashCode())));
        }
    }

    /** Repeats; what is chosen beyond the given ones is 0. */
    Choices(Map<Of, int[]> given) {
        for (Of of : Of.values()) {
            streams.put(of, new Stream(given.get(of), null));
        }
    }

    /** A number from 0 to below the bound. */
    int upTo(Of of, int bound) {
        return bound <= 1 ? 0 : streams.get(of).next(bound, 1);
    }

    /** Whether something happens that does so once in {@code times}. */
    boolean oneIn(Of of, int times) {
        return streams.get(of).next(2, times) == 1;
    }

    /** What was chosen. */
    Map<Of, int[]> taken() {
        Map<Of, int[]> taken = new EnumMap<>(Of.class);
        streams.forEach((of, stream) -> taken.put(of, Arrays.copyOf(stream.taken, stream.size)));
        return taken;
    }

    /** What decisions are about. */
    enum Of {
        /** Which records there are, which workers, which faults and when. */
        SCENARIO,
        /** Whether a single request fails, and how. */
        FAULT,
        /** Which thread goes on. */
        THREAD
    }

    private static final class Stream {
        private final int[] given;
        private final Random random;
        private int[] taken = new int[256];
        private int size;

        Stream(int[] given, Random random) {
            this.given = given;
            this.random = random;
        }

        int next(int bound, int times) {
            int choice;
            if (random == null) {
                choice = size < given.length ? Math.min(given[size], bound - 1) : 0;
            } else if (times > 1) {
                choice = random.nextInt(times) == 0 ? 1 : 0;
            } else {
                choice = random.nextInt(bound);
            }
            if (size == taken.length) {
                taken = Arrays.copyOf(taken, size * 2);
            }
            taken[size++] = choice;
            return choice;
        }
    }
}
