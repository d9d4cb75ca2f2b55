package dev.onceward.dlq.index;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters as the database knows them, together with the claims: one letter per message that failed, and its
 * status is true. Reads only. For one thread.
 */
public final class DeadLetterIndex implements LetterSource {
    // As the index has it: it is read from its end, and only as far as needed.
    private static final String NEWEST_FIRST =
            " ORDER BY dead_at DESC NULLS FIRST, origin_topic, origin_partition," + " origin_offset DESC LIMIT ";
    private static final String ORIGIN = "(d.origin_topic, d.origin_partition, d.origin_offset)";
    private static final int FETCH_SIZE = 500;
    // The planner takes the subqueries for far dearer than they are, and would compile each statement.
    private static final String QUICK = "SET LOCAL jit = off";
    // And it would rather sort all that is left, for every page again, than read on in the index.
    private static final String BY_INDEX =
            QUICK + "; SET LOCAL enable_sort = off; SET LOCAL enable_seqscan = off; SET LOCAL enable_bitmapscan = off";

    private final Connection connection;
    private final Tables tables;
    private final LetterLookup lookup;

    /** Of these tables, over the command's own connection. */
    public DeadLetterIndex(Connections connections) {
        this(connections.database(), connections.tables());
    }

    DeadLetterIndex(Connection connection, Tables tables) {
        this.connection = connection;
        this.tables = tables;
        this.lookup = new LetterLookup(connection, tables);
    }

    @Override
    public boolean knowsStatus() {
        return true;
    }

    @Override
    public void list(Filter filter, long limit, Consumer<Letter> taker) throws SQLException {
        String newest = NEWEST_FIRST + limit;
        String sql = "SELECT " + LetterRows.COLUMNS + " FROM {dead_letters} d WHERE %s" + newest;
        if (filter.consumer() == null) {
            // The newest of each consumer, and of those the newest: the order in the index is that of one consumer.
            sql = "SELECT x.* FROM {consumers} c CROSS JOIN LATERAL ("
                    + sql.replace("%s", "d.consumer_name = c.consumer_name AND %s") + ") x" + newest;
        }
        // Without a transaction the driver reads the whole answer into memory.
        begin(QUICK);
        try (PreparedStatement statement = new Conditions(filter).prepare(connection, tables, sql)) {
            statement.setFetchSize(FETCH_SIZE);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    taker.accept(LetterRows.read(row));
                }
            }
        } finally {
            end();
        }
    }

    @Override
    public long count(Filter filter) throws SQLException {
        return count(new Conditions(filter));
    }

    @Override
    public long count(Filter filter, Instant asOf) throws SQLException {
        return count(existing(filter, asOf));
    }

    private long count(Conditions conditions) throws SQLException {
        try (PreparedStatement statement =
                        conditions.prepare(connection, tables, "SELECT count(*) FROM {dead_letters} d WHERE %s");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** What existed at an instant and has not been touched since by a replay: this one, or another. */
    private static Conditions existing(Filter filter, Instant asOf) {
        return new Conditions(filter)
                .and("d.dead_at <= ?", Conditions.time(asOf))
                .and("(d.status <> 'REPLAYED' OR d.replayed_at <= ?)", Conditions.time(asOf));
    }

    /** How many there are of each kind, of each of these kinds; most first, hours in order. */
    public Map<Stats.By, List<Stats.Group>> stats(Filter filter, Collection<Stats.By> kinds) throws SQLException {
        List<Stats.By> by = List.copyOf(new LinkedHashSet<>(kinds));
        Map<Stats.By, List<Stats.Group>> groups = new LinkedHashMap<>();
        by.forEach(kind -> groups.put(kind, new ArrayList<>()));
        begin(QUICK);
        try (PreparedStatement statement = new Conditions(filter).prepare(connection, tables, Stats.sql(by));
                ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                Objects.requireNonNull(groups.get(by.get(row.getInt(1))))
                        .add(new Stats.Group(
                                row.getString(2),
                                row.getLong(3),
                                row.getObject(4, OffsetDateTime.class).toInstant(),
                                row.getObject(5, OffsetDateTime.class).toInstant()));
            }
        } finally {
            end();
        }
        return groups;
    }

    /** How many there are of each origin partition, in no order. */
    public List<Stats.OfPartition> byPartition(Filter filter) throws SQLException {
        String sql = "SELECT d.consumer_name, d.origin_topic, d.origin_partition, count(*), min(d.failed_at)"
                + " FROM {dead_letters} d WHERE %s GROUP BY 1, 2, 3";
        try (PreparedStatement statement = new Conditions(filter).prepare(connection, tables, sql);
                ResultSet row = statement.executeQuery()) {
            List<Stats.OfPartition> partitions = new ArrayList<>();
            while (row.next()) {
                partitions.add(new Stats.OfPartition(
                        row.getString(1),
                        row.getString(2),
                        row.getInt(3),
                        row.getLong(4),
                        row.getObject(5, OffsetDateTime.class).toInstant()));
            }
            return partitions;
        }
    }

    @Override
    public List<Letter> page(Filter filter, Instant asOf, @Nullable Letter after, int size) throws SQLException {
        Conditions conditions = existing(filter, asOf);
        if (after != null) {
            Coordinates last = after.origin().coordinates();
            // The timestamp too: a topic made again has letters at the same coordinates.
            conditions.and(
                    "(d.origin_topic, d.origin_partition, d.origin_offset, d.origin_timestamp) > (?, ?, ?, ?)",
                    last.topic(),
                    last.partition(),
                    last.offset(),
                    after.origin().timestamp());
        }
        String sql = "SELECT " + LetterRows.COLUMNS + " FROM {dead_letters} d WHERE %s ORDER BY d.origin_topic,"
                + " d.origin_partition, d.origin_offset, d.origin_timestamp LIMIT " + size;
        // A few that are named are found by their own index, and then to be sorted.
        begin(filter.ids().isEmpty() ? BY_INDEX : QUICK);
        try (PreparedStatement statement = conditions.prepare(connection, tables, sql);
                ResultSet row = statement.executeQuery()) {
            List<Letter> letters = new ArrayList<>();
            while (row.next()) {
                letters.add(LetterRows.read(row));
            }
            return letters;
        } finally {
            end();
        }
    }

    private void begin(String settings) throws SQLException {
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(settings);
        }
    }

    private void end() throws SQLException {
        connection.rollback();
        connection.setAutoCommit(true);
    }

    /** The letter as it is now, by the key of the row it was read from; of a later failure of the same message, if any. */
    public Optional<Letter> latest(Letter letter) throws SQLException {
        String sql = "SELECT " + LetterRows.COLUMNS + " FROM {dead_letters} d WHERE %s";
        Coordinates origin = letter.origin().coordinates();
        Conditions conditions = new Conditions(Filter.all(letter.consumer(), List.of(DeadLetterStatus.values())))
                .and(ORIGIN + " = (?, ?, ?)", origin.topic(), origin.partition(), origin.offset())
                .and("d.origin_timestamp = ?", letter.origin().timestamp());
        try (PreparedStatement statement = conditions.prepare(connection, tables, sql);
                ResultSet row = statement.executeQuery()) {
            return row.next() ? Optional.of(LetterRows.read(row)) : Optional.empty();
        }
    }

    @Override
    public List<String> stacktraces(List<Letter> letters) throws SQLException {
        return lookup.stacktraces(letters);
    }

    @Override
    public Instant now() throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT clock_timestamp()");
                ResultSet row = statement.executeQuery()) {
            row.next();
            return Objects.requireNonNull(row.getObject(1, OffsetDateTime.class))
                    .toInstant();
        }
    }

    /** {@inheritDoc} Every one that has ever had a worker here. */
    @Override
    public List<String> consumers() throws SQLException {
        try (PreparedStatement statement =
                        connection.prepareStatement(tables.sql("SELECT consumer_name FROM {consumers} ORDER BY 1"));
                ResultSet row = statement.executeQuery()) {
            List<String> names = new ArrayList<>();
            while (row.next()) {
                names.add(row.getString(1));
            }
            return names;
        }
    }
}
