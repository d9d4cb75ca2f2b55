package dev.onceward.examples.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;

/** What the database says while the run goes on. Each call opens a connection: the server may have been restarted since. */
final class DatabaseView {

    private final DataSource dataSource;
    private final String consumer;
    private final String topic;

    DatabaseView(DataSource dataSource, String consumer, String topic) {
        this.dataSource = dataSource;
        this.consumer = consumer;
        this.topic = topic;
    }

    /** Rows of the ledger. */
    long effects() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT count(*) FROM ledger")) {
            return single(statement);
        }
    }

    /** Different messages that took effect, by partition. */
    long[] effects(int partitions) throws SQLException {
        long[] effects = new long[partitions];
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT account % ?, count(DISTINCT message_id) FROM ledger GROUP BY 1")) {
            statement.setInt(1, partitions);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    effects[rows.getInt(1)] = rows.getLong(2);
                }
            }
        }
        return effects;
    }

    List<Ownership> ownerships() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("""
                        SELECT partition, fence_key, generation, coalesce(worker_id, ''), released_at IS NOT NULL
                          FROM partition_generations
                         WHERE consumer_name = ? AND topic = ?
                         ORDER BY partition""")) {
            statement.setString(1, consumer);
            statement.setString(2, topic);
            List<Ownership> ownerships = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    ownerships.add(new Ownership(
                            rows.getInt(1), rows.getInt(2), rows.getLong(3), rows.getString(4), rows.getBoolean(5)));
                }
            }
            return ownerships;
        }
    }

    /** Takeovers, ever, from an owner that had not released. */
    long uncleanTakeovers() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT coalesce(sum(unclean_takeovers), 0) FROM partition_generations WHERE consumer_name = ?")) {
            statement.setString(1, consumer);
            return single(statement);
        }
    }

    /** The last heartbeat of each worker, by the database's clock. */
    Map<String, Instant> heartbeats() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "SELECT worker_id, heartbeat_at FROM consumer_workers WHERE consumer_name = ?")) {
            statement.setString(1, consumer);
            Map<String, Instant> heartbeats = new HashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    heartbeats.put(
                            rows.getString(1),
                            rows.getObject(2, OffsetDateTime.class).toInstant());
                }
            }
            return heartbeats;
        }
    }

    Instant now() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT clock_timestamp()");
                ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getObject(1, OffsetDateTime.class).toInstant();
        }
    }

    /**
     * Transactions that have claimed messages and are open now: they have an id (they wrote), and hold the shared lock of a
     * partition that their worker owns. A worker's sessions carry its id as {@code application_name}.
     */
    List<OpenTransaction> openTransactions() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement("""
                        SELECT session.application_name, session.pid, session.backend_xid::text::bigint,
                               pg_snapshot_xmax(pg_current_snapshot())::text::bigint,
                               fence.fence_key, fence.generation
                          FROM pg_stat_activity AS session
                          JOIN pg_locks AS held ON held.pid = session.pid AND held.locktype = 'advisory'
                               AND held.mode = 'ShareLock' AND held.granted AND held.objsubid = 2
                          JOIN partition_generations AS fence ON fence.fence_key = held.objid::bigint
                               AND fence.worker_id = session.application_name
                         WHERE session.datname = current_database() AND session.backend_xid IS NOT NULL
                           AND fence.consumer_name = ? AND fence.topic = ?
                         ORDER BY session.pid""")) {
            statement.setString(1, consumer);
            statement.setString(2, topic);
            Map<Integer, OpenTransaction> byBackend = new LinkedHashMap<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    String workerId = rows.getString(1);
                    int pid = rows.getInt(2);
                    long xid = OpenTransaction.fullXid(rows.getLong(3), rows.getLong(4));
                    byBackend
                            .computeIfAbsent(
                                    pid, backend -> new OpenTransaction(workerId, backend, xid, new TreeMap<>()))
                            .generations()
                            .put(rows.getInt(5), rows.getLong(6));
                }
            }
            return List.copyOf(byBackend.values());
        }
    }

    /** Whether the server knows that this transaction rolled back, and no row that it wrote is to be seen. */
    boolean provenAbsent(OpenTransaction transaction) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            return "aborted".equals(status(connection, transaction))
                    && claims(connection, transaction) == 0
                    && effects(connection, transaction) == 0;
        }
    }

    private static String status(Connection connection, OpenTransaction transaction) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT coalesce(pg_xact_status(?::text::xid8), '')")) {
            statement.setString(1, Long.toUnsignedString(transaction.xid()));
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    private static long claims(Connection connection, OpenTransaction transaction) throws SQLException {
        long claims = 0;
        for (Map.Entry<Integer, Long> held : transaction.generations().entrySet()) {
            try (PreparedStatement statement = connection.prepareStatement("""
                    SELECT count(*) FROM processed_messages
                     WHERE fence_key = ? AND generation = ? AND xmin::text = ?""")) {
                statement.setInt(1, held.getKey());
                statement.setLong(2, held.getValue());
                statement.setString(3, Long.toString(transaction.xmin()));
                claims += single(statement);
            }
        }
        return claims;
    }

    private static long effects(Connection connection, OpenTransaction transaction) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT count(*) FROM ledger WHERE xmin::text = ?")) {
            statement.setString(1, Long.toString(transaction.xmin()));
            return single(statement);
        }
    }

    private static long single(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
