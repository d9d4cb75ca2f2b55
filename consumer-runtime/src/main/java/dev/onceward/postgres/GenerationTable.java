package dev.onceward.postgres;

import dev.onceward.position.StoredPosition;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Generations of (consumer, topic, partition) in {@code partition_generations}: who owns what, and the takeover. */
public final class GenerationTable {
    private static final String FIND = "SELECT topic, partition, topic_id, watermark FROM {partition_generations}"
            + " WHERE consumer_name = ? AND topic = ANY (?)";
    private static final String CREATE =
            "INSERT INTO {partition_generations} (consumer_name, topic, partition, topic_id)"
                    + " VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING";
    private static final String REMEMBER =
            // In order: two workers that begin in a topic at the same time would deadlock.
            "INSERT INTO {partition_generations} (consumer_name, topic, partition, topic_id, watermark)"
                    + " SELECT ?, n.* FROM unnest(?, ?, ?, ?) AS n(topic, partition, topic_id, watermark)"
                    + " ORDER BY topic, partition ON CONFLICT DO NOTHING";
    private static final String KEYS = "SELECT topic, partition, fence_key FROM {partition_generations}"
            + " WHERE consumer_name = ? AND topic = ANY (?)";
    private static final String TRY_LOCK = "SELECT k, pg_try_advisory_xact_lock(?, k) FROM unnest(?) AS k";
    private static final String LOCK = "SELECT pg_advisory_xact_lock(?, ?)";
    // Under the exclusive lock no transaction of an older generation runs, and none can commit later.
    // "Unclean": another process had it and did not release it. "Stuck": and it had not finished a single record; but a
    // worker that takes it again, after others took it while it lived, is the proof that nobody died of its records.
    // A recreated topic begins anew: what is stored about its namesake says nothing about its offsets.
    // In key order, as all that change several rows: in different orders they would deadlock.
    private static final String TAKE = "UPDATE {partition_generations} g SET generation = g.generation + 1,"
            + " stuck_takeovers = CASE WHEN NOT n.unclean THEN 0 WHEN n.again THEN g.stuck_takeovers"
            + " WHEN g.resume_offset = n.lowest THEN g.stuck_takeovers + 1 ELSE 1 END,"
            + " unclean_takeovers = g.unclean_takeovers + n.unclean::int,"
            + " worker_id = ?, acquired_at = clock_timestamp(), released_at = NULL, resume_offset = n.lowest,"
            + " watermark = CASE WHEN g.topic_id = n.topic_id THEN g.watermark END,"
            + " pruned_through = CASE WHEN g.topic_id = n.topic_id THEN g.pruned_through ELSE -1 END,"
            + " topic_id = n.topic_id"
            + " FROM (SELECT t.*, p.worker_id IS NOT NULL AND p.released_at IS NULL"
            + " AND p.generation <> t.own_generation AND p.topic_id = t.topic_id AS unclean"
            + " FROM unnest(?, ?, ?, ?, ?) AS t(fence_key, topic_id, lowest, own_generation, again)"
            + " JOIN {partition_generations} p ON p.fence_key = t.fence_key ORDER BY p.fence_key FOR UPDATE OF p) n"
            + " WHERE g.fence_key = n.fence_key RETURNING g.fence_key, g.generation, n.unclean, g.stuck_takeovers";
    // In key order, too.
    private static final String RELEASE = "UPDATE {partition_generations} g SET released_at = clock_timestamp(),"
            + " watermark = coalesce(n.watermark, g.watermark) FROM (SELECT p.fence_key, t.watermark"
            + " FROM unnest(?, ?, ?) AS t(fence_key, generation, watermark) JOIN {partition_generations} p"
            + " ON p.fence_key = t.fence_key AND p.generation = t.generation WHERE p.released_at IS NULL"
            + " ORDER BY p.fence_key FOR UPDATE OF p) n WHERE g.fence_key = n.fence_key";
    // Holders only: those who wait for the lock have done nothing wrong. An advisory lock with two keys shows as
    // classid, objid and objsubid 2.
    private static final String END_HOLDERS =
            "SELECT pid, pg_terminate_backend(pid) FROM (SELECT DISTINCT pid FROM pg_locks"
                    + " WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                    + " AND classid = ?::bigint::oid AND objid = ?::bigint::oid AND objsubid = 2 AND granted"
                    + " AND pid <> pg_backend_pid()) AS holders";

    private final Database database;

    public GenerationTable(Database database) {
        this.database = database;
    }

    /** What is stored about the partitions of these topics, by topic and partition; topics never seen are absent. */
    public Map<String, Map<Integer, StoredPosition>> find(Connection connection, Collection<String> topics)
            throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, FIND)) {
            parameters(connection, statement).array("text", topics.toArray());
            Map<String, Map<Integer, StoredPosition>> found = new HashMap<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    long watermark = row.getLong(4);
                    OptionalLong known = row.wasNull() ? OptionalLong.empty() : OptionalLong.of(watermark);
                    found.computeIfAbsent(row.getString(1), topic -> new HashMap<>())
                            .put(row.getInt(2), new StoredPosition(row.getObject(3, UUID.class), known));
                }
            }
            return found;
        }
    }

    /**
     * Remembers where this consumer begins in partitions never seen before: if Kafka forgets its committed offset before
     * the first record comes, the start position must not be applied once more.
     */
    public void remember(Connection connection, Map<Candidate, Long> positions) throws SQLException {
        List<Candidate> candidates = List.copyOf(positions.keySet());
        try (PreparedStatement statement = database.prepare(connection, REMEMBER)) {
            parameters(connection, statement)
                    .array("text", candidates.stream().map(Candidate::topic).toArray())
                    .array("int4", candidates.stream().map(Candidate::partition).toArray())
                    .array("uuid", candidates.stream().map(Candidate::topicId).toArray())
                    .array("int8", candidates.stream().map(positions::get).toArray());
            statement.executeUpdate();
        }
    }

    /** Makes sure that each partition has a row, and gives its fence key. */
    public Map<Candidate, Integer> fenceKeys(Connection connection, Collection<Candidate> candidates)
            throws SQLException {
        Map<Candidate, Integer> keys = readFenceKeys(connection, candidates);
        if (keys.size() < candidates.size()) {
            try (PreparedStatement statement = database.prepare(connection, CREATE)) {
                for (Candidate candidate : candidates) {
                    if (!keys.containsKey(candidate)) {
                        parameters(connection, statement)
                                .text(candidate.topic())
                                .number(candidate.partition())
                                .uuid(candidate.topicId());
                        statement.addBatch();
                    }
                }
                statement.executeBatch();
            }
            keys = readFenceKeys(connection, candidates);
        }
        return keys;
    }

    private Map<Candidate, Integer> readFenceKeys(Connection connection, Collection<Candidate> candidates)
            throws SQLException {
        Map<String, Candidate> wanted = new HashMap<>();
        candidates.forEach(candidate -> wanted.put(candidate.topic() + "/" + candidate.partition(), candidate));
        Map<Candidate, Integer> keys = new HashMap<>();
        try (PreparedStatement statement = database.prepare(connection, KEYS)) {
            parameters(connection, statement)
                    .array(
                            "text",
                            candidates.stream().map(Candidate::topic).distinct().toArray());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Candidate candidate = wanted.get(row.getString(1) + "/" + row.getInt(2));
                    if (candidate != null) {
                        keys.put(candidate, row.getInt(3));
                    }
                }
            }
        }
        return keys;
    }

    /** Locks those that are free, without waiting, until the end of the transaction. */
    public List<Integer> tryLock(Connection connection, Collection<Integer> fenceKeys) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, TRY_LOCK)) {
            new Parameters(connection, statement)
                    .number(database.tables().lockClass())
                    .array("int4", fenceKeys.stream().sorted().toArray());
            List<Integer> locked = new ArrayList<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    if (row.getBoolean(2)) {
                        locked.add(row.getInt(1));
                    }
                }
            }
            return locked;
        }
    }

    /**
     * Waits for the lock: behind the transactions that hold it, ahead of those that come later.
     *
     * @throws SQLException 55P03 after {@code patience}
     */
    public void lock(Connection connection, int fenceKey, Duration patience) throws SQLException {
        try (PreparedStatement limit = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)")) {
            limit.setString(1, Long.toString(patience.toMillis()));
            limit.execute();
        }
        try (PreparedStatement statement = database.prepare(connection, LOCK)) {
            statement.setInt(1, database.tables().lockClass());
            statement.setInt(2, fenceKey);
            statement.execute();
        }
    }

    /** Raises generations, and gives the ownership by fence key; the caller holds the exclusive locks. */
    public Map<Integer, Ownership> take(Connection connection, String workerId, Collection<Takeover> takeovers)
            throws SQLException {
        Map<Integer, Unfinished> partitions = new HashMap<>();
        takeovers.forEach(takeover -> partitions.put(takeover.fenceKey(), takeover.records()));
        Map<Integer, Ownership> owned = new HashMap<>();
        try (PreparedStatement statement = database.prepare(connection, TAKE)) {
            new Parameters(connection, statement)
                    .text(workerId)
                    .array("int4", takeovers.stream().map(Takeover::fenceKey).toArray())
                    .array(
                            "uuid",
                            takeovers.stream().map(t -> t.records().topicId()).toArray())
                    .array(
                            "int8",
                            takeovers.stream().map(t -> t.records().lowest()).toArray())
                    .array(
                            "int8",
                            takeovers.stream().map(Takeover::ownGeneration).toArray())
                    .array("bool", takeovers.stream().map(Takeover::again).toArray());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    Fence fence = new Fence(row.getInt(1), row.getLong(2));
                    Unfinished taken = Objects.requireNonNull(partitions.remove(fence.fenceKey()));
                    owned.put(
                            fence.fenceKey(),
                            new Ownership(
                                    taken.topic(),
                                    taken.partition(),
                                    fence,
                                    taken.topicId(),
                                    row.getBoolean(3),
                                    row.getInt(4)));
                }
            }
        }
        if (!partitions.isEmpty()) {
            throw new SQLException("the rows of fence keys " + partitions.keySet() + " are gone", "02000");
        }
        return owned;
    }

    /** Marks partitions as given back in order, those that still are this worker's; with the watermarks that are known. */
    public void release(Connection connection, Map<Fence, OptionalLong> watermarks) throws SQLException {
        List<Fence> fences = List.copyOf(watermarks.keySet());
        try (PreparedStatement statement = database.prepare(connection, RELEASE)) {
            new Parameters(connection, statement)
                    .array("int4", fences.stream().map(Fence::fenceKey).toArray())
                    .array("int8", fences.stream().map(Fence::generation).toArray())
                    .array(
                            "int8",
                            fences.stream()
                                    .map(watermarks::get)
                                    .map(GenerationTable::orNull)
                                    .toArray());
            statement.executeUpdate();
        }
    }

    private static @Nullable Long orNull(OptionalLong number) {
        return number.isPresent() ? number.getAsLong() : null;
    }

    /**
     * Ends the server processes that hold the lock of a fence key: a client frozen in the middle of a result is caught
     * by no limit of the server.
     *
     * @return how many were told to end
     * @throws SQLException 42501 if this role may not
     */
    public int endHolders(Connection connection, int fenceKey) throws SQLException {
        try (PreparedStatement statement = database.prepare(connection, END_HOLDERS)) {
            statement.setLong(1, database.tables().lockClass());
            statement.setLong(2, Integer.toUnsignedLong(fenceKey));
            int ended = 0;
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    ended++;
                }
            }
            return ended;
        }
    }

    private Parameters parameters(Connection connection, PreparedStatement statement) throws SQLException {
        return new Parameters(connection, statement).text(database.consumer());
    }

    /** A partition to take over. */
    public record Candidate(String topic, int partition, UUID topicId) {}

    /**
     * What is known about a partition when it is taken over.
     *
     * @param ownGeneration the last one of this very process, whose taking over again is not unclean; -1: none. The worker
     *     id does not tell: a team may give a restarted worker the name of the one that died
     * @param again the worker had it before, and lost it to another while it lived
     */
    public record Takeover(Unfinished records, int fenceKey, long ownGeneration, boolean again) {}
}
