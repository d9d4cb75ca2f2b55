package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.engine.SimDatabase.Row;
import dev.onceward.engine.SimDatabase.Tx;
import dev.onceward.handler.Coordinates;
import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.GenerationTable.Takeover;
import dev.onceward.postgres.Ownership;
import dev.onceward.postgres.Unfinished;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Generations in the model of the database. */
record SimOwnerships(SimDatabase database, SimWorker worker) implements Ownerships {

    private interface Work<T> {
        T in(Tx tx) throws SQLException;
    }

    private <T> T transaction(String what, Work<T> work) throws SQLException {
        Tx tx = database.begin(worker);
        try {
            database.statement(tx, what);
            T result = work.in(tx);
            database.commit(tx);
            return result;
        } finally {
            database.rollback(tx);
        }
    }

    @Override
    public Map<String, Map<Integer, StoredPosition>> find(Collection<String> topics, Duration limit)
            throws SQLException {
        return transaction("find positions", tx -> {
            Map<String, Map<Integer, StoredPosition>> found = new LinkedHashMap<>();
            database.rows.values().stream()
                    .filter(row -> topics.contains(row.topic))
                    .forEach(row -> found.computeIfAbsent(row.topic, topic -> new LinkedHashMap<>())
                            .put(row.partition, new StoredPosition(row.topicId, row.watermark)));
            return found;
        });
    }

    @Override
    public void remember(Map<GenerationTable.Candidate, Long> positions, Duration limit) throws SQLException {
        transaction("remember positions", tx -> {
            tx.writes.add(() -> positions.forEach((candidate, offset) -> {
                Row row = database.rowOf(candidate);
                if (row.watermark.isEmpty()) {
                    database.storeWatermark(row, offset);
                }
            }));
            return true;
        });
    }

    @Override
    public Map<GenerationTable.Candidate, Integer> fenceKeys(
            Collection<GenerationTable.Candidate> candidates, Duration limit) throws SQLException {
        return transaction("fence keys", tx -> {
            Map<GenerationTable.Candidate, Integer> keys = new LinkedHashMap<>();
            candidates.forEach(candidate -> keys.put(candidate, database.rowOf(candidate).fenceKey));
            return keys;
        });
    }

    @Override
    public Map<Integer, Taken> takeFree(Collection<Takeover> takeovers, Duration limit) throws SQLException {
        return transaction("take what is free", tx -> {
            List<Takeover> locked = new ArrayList<>();
            for (Takeover takeover : takeovers) {
                if (database.tryLockExclusive(tx, takeover.fenceKey())) {
                    locked.add(takeover);
                }
            }
            return take(tx, locked);
        });
    }

    @Override
    public Optional<Taken> takeBehind(Takeover takeover, Duration grace) throws SQLException {
        Tx tx = database.begin(worker);
        try {
            database.statement(tx, "take behind others");
            if (!database.lockExclusive(tx, takeover.fenceKey(), grace)) {
                return Optional.empty();
            }
            Taken taken = take(tx, List.of(takeover)).get(takeover.fenceKey());
            database.commit(tx);
            return Optional.of(taken);
        } finally {
            database.rollback(tx);
        }
    }

    private Map<Integer, Taken> take(Tx tx, List<Takeover> locked) throws SQLException {
        Map<Integer, Taken> taken = new LinkedHashMap<>();
        for (Takeover takeover : locked) {
            Row row = database.rows.get(takeover.fenceKey());
            boolean unclean = row.workerId != null && !row.released && row.generation != takeover.ownGeneration();
            long lowest = takeover.records().lowest();
            int stuck = !unclean ? 0 : takeover.again() ? row.stuck : row.resumeOffset == lowest ? row.stuck + 1 : 1;
            Fence fence = new Fence(row.fenceKey, row.generation + 1);
            tx.writes.add(() -> {
                row.generation = fence.generation();
                row.stuck = stuck;
                row.workerId = worker.name;
                row.released = false;
                row.resumeOffset = lowest;
                database.simulation.tell(() -> row.topic + "-" + row.partition + " is taken over by " + worker.name
                        + ", generation " + row.generation + (unclean ? ", unclean" : ""));
            });
            taken.put(
                    row.fenceKey,
                    new Taken(
                            new Ownership(
                                    row.topic,
                                    row.partition,
                                    fence,
                                    takeover.records().topicId(),
                                    unclean,
                                    stuck),
                            facts(takeover.records())));
        }
        database.statement(tx, "read what is stored");
        return taken;
    }

    private StoredFacts facts(Unfinished records) {
        long now = database.simulation.now();
        List<AttemptTable.Attempts> attempts = database.attempts.values().stream()
                .filter(row -> concerns(records, row.record().coordinates()))
                .map(row -> new AttemptTable.Attempts(
                        row.record(),
                        row.attempts(),
                        Duration.ofNanos(Math.max(0, row.notBefore() - now)),
                        Instant.EPOCH,
                        row.error(),
                        row.messageId()))
                .toList();
        List<DeadLetter> unpublished = new ArrayList<>();
        GivenUp finished = new GivenUp();
        database.dead.values().stream()
                .filter(row -> concerns(records, row.letter().record().coordinates()))
                .sorted(Comparator.comparingLong(
                        row -> row.letter().record().coordinates().offset()))
                .forEach(row -> {
                    if (!row.finished()) {
                        if (database.bug != Bug.GIVEN_UP_FORGOTTEN) {
                            unpublished.add(row.letter());
                        }
                    } else {
                        finished.add(row.letter().record());
                    }
                });
        return new StoredFacts(attempts, unpublished, finished, now);
    }

    private static boolean concerns(Unfinished records, Coordinates at) {
        return at.topic().equals(records.topic())
                && at.partition() == records.partition()
                && at.offset() >= records.lowest();
    }

    @Override
    public int endHolders(int fenceKey, Duration limit) throws SQLException {
        return transaction("end holders", tx -> database.endHolders(fenceKey, tx));
    }

    @Override
    public void release(Map<Fence, OptionalLong> watermarks, Duration limit) throws SQLException {
        transaction("release", tx -> {
            tx.writes.add(() -> watermarks.forEach((fence, watermark) -> {
                Row row = database.rows.get(fence.fenceKey());
                if (row.generation == fence.generation() && !row.released) {
                    row.released = true;
                    watermark.ifPresent(offset -> database.storeWatermark(row, offset));
                    database.simulation.tell(() -> row.topic + "-" + row.partition + " is released by " + worker.name);
                }
            }));
            return true;
        });
    }
}
