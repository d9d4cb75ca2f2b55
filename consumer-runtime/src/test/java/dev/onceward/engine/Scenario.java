package dev.onceward.engine;

import dev.onceward.engine.Choices.Of;
import dev.onceward.engine.SimRecord.Behaviour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.apache.kafka.common.TopicPartition;

/**
 * What a run is about.
 *
 * @param partitions of the topic
 * @param arrivals records, and when they are appended
 * @param faults what goes wrong, and when
 */
record Scenario(
        int partitions,
        int workers,
        int lanes,
        int groupSize,
        int partitionMessages,
        int maxPollRecords,
        boolean eager,
        List<Arrival> arrivals,
        List<Fault> faults) {

    private static final int FAULTS = 8;
    private static final int RECORDS = 14;
    private static final long HORIZON_MILLIS = 15_000;

    record Arrival(long atNanos, SimRecord record) {}

    record Fault(long atNanos, Kind kind, int worker, long nanos) {
        @Override
        public String toString() {
            return "%.1f s: %s of worker %d for %.1f s".formatted(atNanos / 1e9, kind, worker, nanos / 1e9);
        }
    }

    enum Kind {
        REBALANCE,
        FREEZE,
        STOP,
        CRASH,
        JOIN,
        SESSIONS_ENDED,
        DATABASE_OUTAGE,
        NO_WAY_TO_DATABASE,
        NO_WAY_TO_KAFKA,
        NO_PUBLISHING
    }

    static Scenario of(Choices choices) {
        int partitions = 1 + choices.upTo(Of.SCENARIO, 3);
        int workers = 1 + choices.upTo(Of.SCENARIO, 3);
        int lanes = 1 + choices.upTo(Of.SCENARIO, 2);
        int groupSize = 1 + choices.upTo(Of.SCENARIO, 4);
        int partitionMessages = 8 - choices.upTo(Of.SCENARIO, 5);
        int maxPollRecords = 1 + choices.upTo(Of.SCENARIO, 6);
        boolean eager = choices.upTo(Of.SCENARIO, 3) == 2;
        return new Scenario(
                partitions,
                workers,
                lanes,
                groupSize,
                partitionMessages,
                maxPollRecords,
                eager,
                arrivals(choices, partitions),
                faults(choices));
    }

    /** Each draws a fixed number of choices, so that one can be undone without changing the others. */
    private static List<Arrival> arrivals(Choices choices, int partitions) {
        List<Arrival> arrivals = new ArrayList<>();
        long[] ends = new long[partitions];
        for (int i = 0; i < RECORDS; i++) {
            boolean there = choices.upTo(Of.SCENARIO, 8) > 0;
            TopicPartition partition = new TopicPartition(SimSettings.TOPIC, choices.upTo(Of.SCENARIO, partitions));
            String key = "k" + choices.upTo(Of.SCENARIO, 3);
            Behaviour behaviour = behaviour(choices.upTo(Of.SCENARIO, 24));
            int times = 1 + choices.upTo(Of.SCENARIO, 4);
            int gap = choices.upTo(Of.SCENARIO, 6) == 5 ? 3 : 0;
            int copyOf = choices.upTo(Of.SCENARIO, 40);
            long at = choices.upTo(Of.SCENARIO, 3) == 0
                    ? 0
                    : Duration.ofMillis(choices.upTo(Of.SCENARIO, (int) HORIZON_MILLIS / 2))
                            .toNanos();
            if (!there) {
                continue;
            }
            long offset = ends[partition.partition()] + gap;
            ends[partition.partition()] = offset + 1;
            SimRecord record =
                    new SimRecord(partition, offset, key, "m" + i, behaviour, behaviour == Behaviour.OK ? 0 : times);
            if (copyOf > 0 && copyOf <= arrivals.size()) {
                SimRecord original = arrivals.get(copyOf - 1).record();
                record = new SimRecord(partition, offset, key, original.id(), record.behaviour(), record.times());
            }
            arrivals.add(new Arrival(at, record));
        }
        return inOrder(arrivals);
    }

    /** Records of a partition are appended in the order of their offsets. */
    private static List<Arrival> inOrder(List<Arrival> arrivals) {
        long[] latest = new long[3];
        List<Arrival> ordered = new ArrayList<>();
        for (Arrival arrival : arrivals) {
            int partition = arrival.record().partition().partition();
            latest[partition] = Math.max(latest[partition], arrival.atNanos());
            ordered.add(new Arrival(latest[partition], arrival.record()));
        }
        ordered.sort(Comparator.comparingLong(Arrival::atNanos));
        return ordered;
    }

    private static Behaviour behaviour(int choice) {
        return switch (choice) {
            case 13, 14, 15 -> Behaviour.TRANSIENT;
            case 16, 17 -> Behaviour.PERMANENT;
            case 18, 19 -> Behaviour.POISON;
            case 20 -> Behaviour.HANG;
            case 21 -> Behaviour.DEAF;
            case 22 -> Behaviour.UNAVAILABLE;
            case 23 -> Behaviour.FATAL;
            default -> Behaviour.OK;
        };
    }

    private static List<Fault> faults(Choices choices) {
        List<Fault> faults = new ArrayList<>();
        for (int i = 0; i < FAULTS; i++) {
            int kind = choices.upTo(Of.SCENARIO, Kind.values().length * 2);
            int worker = choices.upTo(Of.SCENARIO, 3);
            long at = Duration.ofMillis(choices.upTo(Of.SCENARIO, (int) HORIZON_MILLIS))
                    .toNanos();
            long length =
                    Duration.ofMillis(100L << choices.upTo(Of.SCENARIO, 8)).toNanos();
            if (kind >= Kind.values().length) {
                faults.add(new Fault(at, Kind.values()[kind - Kind.values().length], worker, length));
            }
        }
        faults.sort(Comparator.comparingLong(Fault::atNanos));
        return faults;
    }

    @Override
    public String toString() {
        StringBuilder text =
                new StringBuilder("%d partitions, %d workers, %d lanes, groups of %d, bound %d, poll %d, %s"
                        .formatted(
                                partitions,
                                workers,
                                lanes,
                                groupSize,
                                partitionMessages,
                                maxPollRecords,
                                eager ? "eager" : "cooperative"));
        arrivals.forEach(arrival ->
                text.append("\n  %.1f s: ".formatted(arrival.atNanos() / 1e9)).append(arrival.record()));
        faults.forEach(fault -> text.append("\n  ").append(fault));
        return text.toString();
    }
}
