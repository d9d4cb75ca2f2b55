package dev.onceward.engine;

import dev.onceward.crash.CrashPoint;
import dev.onceward.failure.SqlStates;
import dev.onceward.position.StoredPosition;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Ownership;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** By the generations' table, under advisory locks. */
final class DatabaseOwnerships implements Ownerships {
    /** Beyond the wait for the lock. */
    private static final Duration READING = Duration.ofSeconds(5);

    private static final String LOCK_NOT_AVAILABLE = "55P03";

    private final Database database;
    private final GenerationTable generations;
    private final FactsLoader facts;
    private final String workerId;

    DatabaseOwnerships(Database database, GenerationTable generations, FactsLoader facts, String workerId) {
        this.database = database;
        this.generations = generations;
        this.facts = facts;
        this.workerId = workerId;
    }

    @Override
    public Map<String, Map<Integer, StoredPosition>> find(Collection<String> topics, Duration limit)
            throws SQLException {
        return database.inTransaction(limit, connection -> generations.find(connection, topics));
    }

    @Override
    public void remember(Map<GenerationTable.Candidate, Long> positions, Duration limit) throws SQLException {
        database.inTransaction(limit, connection -> {
            generations.remember(connection, positions);
            return true;
        });
    }

    @Override
    public Map<GenerationTable.Candidate, Integer> fenceKeys(
            Collection<GenerationTable.Candidate> candidates, Duration limit) throws SQLException {
        return database.inTransaction(limit, connection -> generations.fenceKeys(connection, candidates));
    }

    @Override
    public Map<Integer, Taken> takeFree(Collection<GenerationTable.Takeover> takeovers, Duration limit)
            throws SQLException {
        return database.inTransaction(limit.plus(READING), connection -> {
            Set<Integer> free = Set.copyOf(generations.tryLock(
                    connection,
                    takeovers.stream().map(GenerationTable.Takeover::fenceKey).toList()));
            List<GenerationTable.Takeover> locked = takeovers.stream()
                    .filter(takeover -> free.contains(takeover.fenceKey()))
                    .toList();
            return locked.isEmpty() ? Map.of() : take(connection, locked);
        });
    }

    @Override
    public Optional<Taken> takeBehind(GenerationTable.Takeover takeover, Duration grace) throws SQLException {
        try {
            return database.inTransaction(grace.plus(READING), connection -> {
                generations.lock(connection, takeover.fenceKey(), grace);
                return Optional.ofNullable(take(connection, List.of(takeover)).get(takeover.fenceKey()));
            });
        } catch (SQLException e) {
            if (SqlStates.find(e).filter(LOCK_NOT_AVAILABLE::equals).isPresent()) {
                return Optional.empty();
            }
            throw e;
        }
    }

    /** Raises the generations of locked partitions; only then, in later statements, reads what is stored. */
    private Map<Integer, Taken> take(Connection connection, List<GenerationTable.Takeover> locked) throws SQLException {
        CrashPoint.BEFORE_TAKEOVER.reached();
        Map<Integer, Ownership> owned = generations.take(connection, workerId, locked);
        CrashPoint.GENERATION_RAISED.reached();
        Map<TopicPartition, StoredFacts> stored = facts.load(
                connection,
                locked.stream().map(GenerationTable.Takeover::records).toList());
        Map<Integer, Taken> taken = new HashMap<>();
        for (GenerationTable.Takeover takeover : locked) {
            TopicPartition partition = new TopicPartition(
                    takeover.records().topic(), takeover.records().partition());
            taken.put(
                    takeover.fenceKey(),
                    new Taken(
                            Objects.requireNonNull(owned.get(takeover.fenceKey())),
                            Objects.requireNonNull(stored.get(partition))));
        }
        return taken;
    }

    @Override
    public int endHolders(int fenceKey, Duration limit) throws SQLException {
        return database.inTransaction(limit, connection -> generations.endHolders(connection, fenceKey));
    }

    @Override
    public void release(Map<Fence, OptionalLong> watermarks, Duration limit) throws SQLException {
        database.inTransaction(limit, connection -> {
            generations.release(connection, watermarks);
            return true;
        });
    }
}
