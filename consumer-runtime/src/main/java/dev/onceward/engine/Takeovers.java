package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.SqlStates;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds positions, raises generations, gives partitions back: all that a rebalance needs from the database, in threads
 * of its own. Takeovers have one thread, since one may have to wait for the transactions of the old owner; positions and
 * releases have another, so that they never wait for a takeover.
 */
final class Takeovers {
    private static final Logger LOG = LoggerFactory.getLogger(Takeovers.class);
    /** Advisory locks live in a small table that all sessions share. */
    private static final int CHUNK = 200;
    /** After so many unclean takeovers in a row without progress, a message is suspected of ending workers. */
    private static final int SUSPICIOUS_AFTER = 2;

    private final Database database;
    private final GenerationTable generations;
    private final FactsLoader facts;
    private final Positions positions;
    private final String workerId;
    private final Duration grace;
    private final int suspectWindow;
    private final Backoff backoff;
    private final RuntimeMeters meters;
    private final BackgroundThread takeoverThread;
    private final BackgroundThread positionThread;
    private final LinkedBlockingQueue<OwnedPartition> pending = new LinkedBlockingQueue<>();
    /** The last generation this process had of each partition. Takeover thread only. */
    private final Map<TopicPartition, Long> ownGenerations = new HashMap<>();

    private volatile @Nullable Results results;

    Takeovers(
            Database database,
            GenerationTable generations,
            FactsLoader facts,
            Positions positions,
            String workerId,
            Duration grace,
            int suspectWindow,
            Backoff backoff,
            RuntimeMeters meters,
            BackgroundThread takeoverThread,
            BackgroundThread positionThread) {
        this.database = database;
        this.generations = generations;
        this.facts = facts;
        this.positions = positions;
        this.workerId = workerId;
        this.grace = grace;
        this.suspectWindow = suspectWindow;
        this.backoff = backoff;
        this.meters = meters;
        this.takeoverThread = takeoverThread;
        this.positionThread = positionThread;
    }

    /** Where results go. */
    void connect(Results receiver) {
        this.results = receiver;
    }

    // ---- positions ----

    /** Finds out where to begin; the answer comes as {@link Results#positioned}. */
    void position(List<OwnedPartition> partitions, Duration delay) {
        position(partitions, delay, 0);
    }

    private void position(List<OwnedPartition> partitions, Duration delay, int failures) {
        if (!partitions.isEmpty()) {
            positionThread.later(delay, () -> positionNow(partitions, failures));
        }
    }

    private void positionNow(List<OwnedPartition> partitions, int failures) {
        List<OwnedPartition> current = partitions.stream()
                .filter(p -> p.in(PartitionState.POSITIONING))
                .toList();
        try {
            Map<OwnedPartition, Position> found = positions.find(current);
            found.forEach(results()::positioned);
            List<OwnedPartition> missing =
                    current.stream().filter(p -> !found.containsKey(p)).toList();
            position(missing, backoff.next(failures + 1), failures + 1); // their topic is not there (yet)
        } catch (SQLException | ExecutionException | TimeoutException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue("partitions", current.size())
                    .addKeyValue("error", e.toString())
                    .log("Positions could not be found; tried again");
            position(current, backoff.next(failures + 1), failures + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Looks whether topics were made again under their names. Nobody else would notice: where the new topic is longer
     * than the old one was, fetching just goes on in the middle of it.
     */
    void checkTopics(Collection<OwnedPartition> partitions) {
        try {
            positions.madeAgain(partitions).forEach(results()::madeAgain);
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("topics could not be looked at", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- takeovers ----

    /** Raises the generation; the answer comes as {@link Results#takenOver}. */
    void takeOver(OwnedPartition partition) {
        pending.add(partition);
        takeoverThread.execute(this::takeOverPending);
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
        takeoverThread.later(backoff.next(3), this::takeOverPending);
    }

    private Map<OwnedPartition, Integer> fenceKeys(List<OwnedPartition> chunk) throws SQLException {
        Map<GenerationTable.Candidate, OwnedPartition> candidates = new HashMap<>();
        chunk.forEach(partition -> candidates.put(candidate(partition), partition));
        Map<OwnedPartition, Integer> keys = new HashMap<>();
        database.inTransaction(grace, connection -> generations.fenceKeys(connection, candidates.keySet()))
                .forEach((candidate, key) -> keys.put(candidates.get(candidate), key));
        return keys;
    }

    /** Those that nobody works on, in one transaction that waits for none; returns the others. */
    private Map<OwnedPartition, Integer> takeFree(Map<OwnedPartition, Integer> keys) throws SQLException {
        Map<OwnedPartition, Taken> taken = database.inTransaction(grace.plusSeconds(5), connection -> {
            List<Integer> free = generations.tryLock(connection, keys.values());
            Map<OwnedPartition, Taken> done = new HashMap<>();
            // By key: two transactions that change rows of several partitions do so in one order.
            List<Map.Entry<OwnedPartition, Integer>> ordered = keys.entrySet().stream()
                    .filter(entry -> free.contains(entry.getValue()))
                    .sorted(Map.Entry.comparingByValue())
                    .toList();
            for (Map.Entry<OwnedPartition, Integer> entry : ordered) {
                done.put(entry.getKey(), take(connection, entry.getKey(), entry.getValue()));
            }
            return done;
        });
        taken.forEach(this::announce);
        Map<OwnedPartition, Integer> busy = new HashMap<>(keys);
        busy.keySet().removeAll(taken.keySet());
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
            int ended = database.inTransaction(grace, connection -> generations.endHolders(connection, fenceKey));
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.HOLDER_ENDED)
                    .addKeyValue("partition", partition.topicPartition())
                    .addKeyValue("sessions", ended)
                    .log("Database sessions of the old owner did not end by themselves and were ended");
        } catch (SQLException e) {
            LOG.atError()
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
        try {
            announce(partition, database.inTransaction(grace.plusSeconds(5), connection -> {
                generations.lock(connection, fenceKey, grace);
                return take(connection, partition, fenceKey);
            }));
            return true;
        } catch (SQLException e) {
            if (SqlStates.find(e).filter("55P03"::equals).isPresent()) {
                return false;
            }
            throw e;
        }
    }

    private Taken take(java.sql.Connection connection, OwnedPartition partition, int fenceKey) throws SQLException {
        long lowest = partition.window().watermark();
        Ownership ownership = generations.take(
                connection,
                candidate(partition),
                fenceKey,
                workerId,
                ownGenerations.getOrDefault(partition.topicPartition(), -1L),
                lowest,
                partition.isTakenAgain());
        return new Taken(
                ownership, facts.load(connection, partition.topicPartition(), partition.topicId(), lowest), lowest);
    }

    private void announce(OwnedPartition partition, Taken taken) {
        ownGenerations.put(partition.topicPartition(), taken.ownership().fence().generation());
        meters.takeover(taken.ownership().unclean());
        LOG.atInfo()
                .addKeyValue(EventNames.KEY, EventNames.TAKEOVER)
                .addKeyValue("partition", partition.topicPartition())
                .addKeyValue("generation", taken.ownership().fence().generation())
                .addKeyValue("unclean", taken.ownership().unclean())
                .addKeyValue("offset", taken.lowest())
                .log("The partition is owned under a new generation");
        long suspiciousUntil = 0;
        if (taken.ownership().stuckTakeovers() >= SUSPICIOUS_AFTER) {
            suspiciousUntil = taken.lowest() + suspectWindow;
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.SUSPICION_BEGIN)
                    .addKeyValue("partition", partition.topicPartition())
                    .addKeyValue("offset", taken.lowest())
                    .log("Workers ended here without progress: unfinished records run one at a time");
        }
        results().takenOver(partition, taken.ownership(), taken.facts(), suspiciousUntil);
    }

    private static GenerationTable.Candidate candidate(OwnedPartition partition) {
        return new GenerationTable.Candidate(
                partition.topicPartition().topic(), partition.topicPartition().partition(), partition.topicId());
    }

    // ---- releases ----

    /** Gives partitions back in order, and waits for that within the limit; if it fails, their next takeover is unclean. */
    void release(Collection<OwnedPartition> partitions, Duration limit) {
        List<OwnedPartition> owned =
                partitions.stream().filter(p -> p.takenOver().isPresent()).toList();
        if (owned.isEmpty()) {
            return;
        }
        try {
            positionThread.submit(() -> releaseNow(owned)).get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException | TimeoutException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Partitions could not be released in the database");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** A takeover that came after the partition had been given up: nobody else waits for this one. */
    void releaseLate(Ownership ownership) {
        positionThread.execute(() -> {
            try {
                database.inTransaction(grace, connection -> {
                    generations.release(connection, ownership.fence(), OptionalLong.empty());
                    return true;
                });
            } catch (SQLException e) {
                LOG.atInfo().addKeyValue("error", e.toString()).log("A late takeover could not be released");
            }
        });
    }

    private void releaseNow(List<OwnedPartition> owned) {
        try {
            database.inTransaction(grace, connection -> {
                List<OwnedPartition> ordered = owned.stream()
                        .sorted((a, b) -> a.fence().compareTo(b.fence()))
                        .toList();
                for (OwnedPartition partition : ordered) {
                    generations.release(
                            connection,
                            partition.fence(),
                            OptionalLong.of(partition.window().watermark()));
                }
                return true;
            });
        } catch (SQLException e) {
            LOG.atInfo().addKeyValue("error", e.toString()).log("Partitions could not be released in the database");
        }
    }

    private Results results() {
        Results receiver = results;
        if (receiver == null) {
            throw new IllegalStateException("not connected");
        }
        return receiver;
    }

    private record Taken(Ownership ownership, StoredFacts facts, long lowest) {}

    /** Receives results, in these threads. */
    interface Results {
        void positioned(OwnedPartition partition, Position position);

        void madeAgain(OwnedPartition partition);

        void takenOver(OwnedPartition partition, Ownership ownership, StoredFacts facts, long suspiciousUntil);
    }
}
