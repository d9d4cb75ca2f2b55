package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.crash.CrashPoint;
import dev.onceward.failure.Backoff;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import dev.onceward.postgres.Unfinished;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes partitions over: raises their generations, and reads what is stored about their records. In a thread of its own,
 * which may have to wait for the transactions of the old owner.
 */
final class Takeovers {
    private static final Logger LOG = LoggerFactory.getLogger(Takeovers.class);
    /** Advisory locks live in a small table that all sessions share. */
    private static final int CHUNK = 200;
    /** After so many unclean takeovers in a row without progress, a message is suspected of ending workers. */
    private static final int SUSPICIOUS_AFTER = 2;

    private final Ownerships ownerships;
    private final Duration grace;
    private final int suspectWindow;
    private final Backoff backoff;
    private final RuntimeMeters meters;
    private final BackgroundThread thread;
    private final Results results;
    private final LinkedBlockingQueue<OwnedPartition> pending = new LinkedBlockingQueue<>();
    /** The last generation this process had of each partition. Takeover thread only. */
    private final Map<TopicPartition, Long> ownGenerations = new HashMap<>();

    Takeovers(
            Ownerships ownerships,
            Duration grace,
            int suspectWindow,
            Backoff backoff,
            RuntimeMeters meters,
            BackgroundThread thread,
            Results results) {
        this.ownerships = ownerships;
        this.grace = grace;
        this.suspectWindow = suspectWindow;
        this.backoff = backoff;
        this.meters = meters;
        this.thread = thread;
        this.results = results;
    }

    /** Raises the generation; the answer comes as {@link Results#takenOver}. */
    void takeOver(OwnedPartition partition) {
        pending.add(partition);
        thread.execute(this::takeOverPending);
    }

    private void takeOverPending() {
        List<OwnedPartition> chunk = new ArrayList<>();
        pending.drainTo(chunk, CHUNK);
        chunk.removeIf(partition -> !partition.in(PartitionState.TAKING_OVER));
        if (chunk.isEmpty()) {
            return;
        }
        try {
            Map<OwnedPartition, Integer> busy = takeFree(fenceKeys(chunk));
            chunk.retainAll(busy.keySet());
            for (Map.Entry<OwnedPartition, Integer> entry : busy.entrySet()) {
                takeBusy(entry.getKey(), entry.getValue());
                chunk.remove(entry.getKey()); // taken, gone, or queued again: not taken twice if the next one fails
            }
        } catch (SQLException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.TAKEOVER_FAILED)
                    .addKeyValue("partitions", chunk.size())
                    .addKeyValue("error", e.toString())
                    .log("A takeover failed; tried again");
            again(chunk);
        }
    }

    private void again(Collection<OwnedPartition> partitions) {
        pending.addAll(partitions.stream()
                .filter(partition -> partition.in(PartitionState.TAKING_OVER))
                .toList());
        thread.later(backoff.next(3), this::takeOverPending);
    }

    private Map<OwnedPartition, Integer> fenceKeys(List<OwnedPartition> chunk) throws SQLException {
        Map<GenerationTable.Candidate, OwnedPartition> candidates = new LinkedHashMap<>();
        chunk.forEach(partition -> candidates.put(candidate(partition), partition));
        Map<OwnedPartition, Integer> keys = new LinkedHashMap<>();
        ownerships
                .fenceKeys(candidates.keySet(), grace)
                .forEach((candidate, key) -> keys.put(candidates.get(candidate), key));
        return keys;
    }

    /** Those that nobody works on, in one transaction that waits for none; returns the others. */
    private Map<OwnedPartition, Integer> takeFree(Map<OwnedPartition, Integer> keys) throws SQLException {
        List<GenerationTable.Takeover> takeovers = new ArrayList<>();
        keys.forEach((partition, fenceKey) -> takeovers.add(takeover(partition, fenceKey)));
        Map<Integer, Ownerships.Taken> taken = ownerships.takeFree(takeovers, grace);
        Map<OwnedPartition, Integer> busy = new LinkedHashMap<>();
        keys.forEach((partition, fenceKey) -> {
            Ownerships.Taken own = taken.get(fenceKey);
            if (own == null) {
                busy.put(partition, fenceKey);
            } else {
                announce(partition, own);
            }
        });
        return busy;
    }

    /**
     * Waits for the old owner's transactions; after the grace their server processes are ended. No limit of the server
     * catches a client that was frozen while it read a large result.
     */
    private void takeBusy(OwnedPartition partition, int fenceKey) throws SQLException {
        if (tryTake(partition, fenceKey)) {
            return;
        }
        try {
            int ended = ownerships.endHolders(fenceKey, grace);
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.HOLDER_ENDED)
                    .addKeyValue("partition", partition.topicPartition())
                    .addKeyValue("sessions", ended)
                    .log("Database sessions of the old owner did not end by themselves and were ended");
        } catch (SQLException e) {
            LOG.atError()
                    .addKeyValue(EventNames.KEY, EventNames.HOLDER_NOT_ENDED)
                    .addKeyValue("partition", partition.topicPartition())
                    .addKeyValue("error", e.toString())
                    .log("The old owner's database sessions could not be ended:"
                            + " use the same role for all workers, or grant pg_signal_backend");
        }
        if (!tryTake(partition, fenceKey)) {
            again(List.of(partition));
        }
    }

    private boolean tryTake(OwnedPartition partition, int fenceKey) throws SQLException {
        if (!partition.in(PartitionState.TAKING_OVER)) {
            return true; // revoked while it waited
        }
        Optional<Ownerships.Taken> taken = ownerships.takeBehind(takeover(partition, fenceKey), grace);
        taken.ifPresent(own -> announce(partition, own));
        return taken.isPresent();
    }

    private GenerationTable.Takeover takeover(OwnedPartition partition, int fenceKey) {
        TopicPartition topicPartition = partition.topicPartition();
        return new GenerationTable.Takeover(
                new Unfinished(
                        topicPartition.topic(),
                        topicPartition.partition(),
                        partition.topicId(),
                        partition.window().watermark(),
                        partition.earliest()),
                fenceKey,
                ownGenerations.getOrDefault(topicPartition, -1L),
                partition.isTakenAgain());
    }

    private void announce(OwnedPartition partition, Ownerships.Taken taken) {
        long lowest = partition.window().watermark();
        CrashPoint.TAKEN_OVER.reached();
        ownGenerations.put(partition.topicPartition(), taken.ownership().fence().generation());
        meters.takeover(taken.ownership().unclean());
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, EventNames.TAKEOVER)
                .addKeyValue("partition", partition.topicPartition())
                .addKeyValue("generation", taken.ownership().fence().generation())
                .addKeyValue("unclean", taken.ownership().unclean())
                .addKeyValue("offset", lowest)
                .log("The partition is owned under a new generation");
        long suspiciousUntil = 0;
        if (taken.ownership().stuckTakeovers() >= SUSPICIOUS_AFTER) {
            suspiciousUntil = lowest + suspectWindow;
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.SUSPICION_BEGIN)
                    .addKeyValue("partition", partition.topicPartition())
                    .addKeyValue("offset", lowest)
                    .log("Workers ended here without progress: unfinished records run one at a time");
        }
        results.takenOver(partition, taken.ownership(), taken.facts(), suspiciousUntil);
    }

    private static GenerationTable.Candidate candidate(OwnedPartition partition) {
        return new GenerationTable.Candidate(
                partition.topicPartition().topic(), partition.topicPartition().partition(), partition.topicId());
    }

    /** Receives results, in the takeover thread. */
    interface Results {
        void takenOver(OwnedPartition partition, Ownership ownership, StoredFacts facts, long suspiciousUntil);
    }
}
