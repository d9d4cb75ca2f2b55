package dev.onceward.postgres;

import dev.onceward.failure.SqlStates;
import dev.onceward.failure.Throwables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import javax.sql.DataSource;
import org.postgresql.core.BaseConnection;

/** The database as the runtime sees it: connections, table names, and the limits its transactions set themselves. */
public final class Database {
    private static final int TRANSACTION_TIMEOUT_SINCE = 170_000;
    private static final String READ_ONLY = "25006";
    private static final Set<String> CONFLICTS = Set.of("40001", "40P01", "55P03");
    /** Beyond the server's own limit an answer may be on its way for so long. */
    private static final Duration ANSWER = Duration.ofSeconds(5);
    // A standby, or read-only by a setting (some providers do that when the disk is full).
    private static final String WRITABLE =
            "SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on'";

    private static final String LIMITS =
            "SELECT set_config('statement_timeout', ?, true), set_config('lock_timeout', ?, true),"
                    + " set_config('idle_in_transaction_session_timeout', ?, true)";
    // One of database or role may be shorter than a takeover waits for its locks.
    private static final String NO_TRANSACTION_TIMEOUT = ", set_config('transaction_timeout', '0', true)";

    private final DataSource dataSource;
    private final Tables tables;
    private final String consumer;
    private final int serverVersion;

    public Database(DataSource dataSource, Tables tables, String consumer, int serverVersion) {
        this.dataSource = dataSource;
        this.tables = tables;
        this.consumer = consumer;
        this.serverVersion = serverVersion;
    }

    public Tables tables() {
        return tables;
    }

    public String consumer() {
        return consumer;
    }

    /** Whether the server knows {@code transaction_timeout} (PostgreSQL 17). */
    boolean hasTransactionTimeout() {
        return serverVersion >= TRANSACTION_TIMEOUT_SINCE;
    }

    /** A connection with auto-commit off. Whoever closes it has committed or rolled back before. */
    public Connection open() throws SQLException {
        Connection connection = dataSource.getConnection();
        try {
            connection.setAutoCommit(false);
            return connection;
        } catch (SQLException | RuntimeException e) {
            closeQuietly(connection, e);
            throw e;
        }
    }

    /** Prepares a template with table names in braces; see {@link Tables#sql}. */
    public PreparedStatement prepare(Connection connection, String template) throws SQLException {
        return connection.prepareStatement(tables.sql(template));
    }

    /**
     * Runs one transaction of the runtime's own; rolls back if {@code work} throws.
     *
     * @param statementLimit for one statement, one lock, and for the silence between two statements: a worker frozen in
     *     the middle does not keep from others what it has locked
     */
    public <T> T inTransaction(Duration statementLimit, Work<T> work) throws SQLException {
        return bounded(statementLimit, connection -> {
            limit(connection, statementLimit);
            T result = work.run(connection);
            connection.commit();
            return result;
        });
    }

    /**
     * Gives a connection whose reads end soon after the server's limit: nobody watches the runtime's own transactions,
     * and a peer that is gone without a word would hold their thread for ever. {@code work} ends its transaction;
     * if it throws, that is rolled back.
     */
    <T> T bounded(Duration serverLimit, Work<T> work) throws SQLException {
        Connection connection = open();
        int usual = 0;
        try {
            usual = connection.getNetworkTimeout();
            limitReads(connection, serverLimit.plus(ANSWER));
            T result = work.run(connection);
            connection.setNetworkTimeout(Runnable::run, usual); // the team's pool may not do that
            connection.close();
            return result;
        } catch (SQLException | RuntimeException | Error e) {
            if (isConflict(e)) {
                rollbackAndClose(connection, e, usual);
            } else {
                evictAndClose(connection, e);
            }
            throw e;
        }
    }

    private static void limitReads(Connection connection, Duration limit) throws SQLException {
        connection.setNetworkTimeout(Runnable::run, (int) Math.min(Integer.MAX_VALUE, limit.toMillis()));
    }

    /** Whether the database answers and takes writes; throws what it says if not. */
    public void probe(Duration limit) throws SQLException {
        inTransaction(limit, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(WRITABLE);
                    ResultSet row = statement.executeQuery()) {
                row.next();
                if (row.getBoolean(1)) {
                    throw new SQLException("the database is read-only", READ_ONLY);
                }
                return true;
            }
        });
    }

    /** The driver's own view, for its transaction state; needs a driver connection behind the pool's. */
    public static BaseConnection driver(Connection connection) throws SQLException {
        return connection.unwrap(BaseConnection.class);
    }

    /**
     * Rolls back and gives the connection back; a failure on the way never hides {@code cause}.
     *
     * @return whether the connection still answered
     */
    public static boolean rollbackAndClose(Connection connection, Throwable cause) {
        int usual = 0;
        try {
            usual = connection.getNetworkTimeout();
        } catch (SQLException | RuntimeException e) {
            Throwables.suppress(cause, e); // closed already: so it will be found below
        }
        return rollbackAndClose(connection, cause, usual);
    }

    /** A conflict with another transaction says nothing against the session. */
    private static boolean isConflict(Throwable e) {
        return SqlStates.find(e).filter(CONFLICTS::contains).isPresent();
    }

    /**
     * Ends the session instead of giving it back. One of the runtime's own statements failed in it, and the reason may be
     * what somebody set for the whole session: whoever got it next would fail, too.
     *
     * @return false: the connection answers no more
     */
    public static boolean evictAndClose(Connection connection, Throwable cause) {
        evict(connection, cause);
        closeQuietly(connection, cause);
        return false;
    }

    private static boolean rollbackAndClose(Connection connection, Throwable cause, int usualReadLimit) {
        boolean answered = false;
        try {
            limitReads(connection, ANSWER);
            connection.rollback();
            connection.setNetworkTimeout(Runnable::run, usualReadLimit);
            answered = true;
        } catch (SQLException | RuntimeException e) {
            Throwables.suppress(cause, e);
            abort(connection);
        }
        if (SqlStates.find(cause).filter(READ_ONLY::equals).isPresent()) {
            evict(connection, cause);
        }
        closeQuietly(connection, cause);
        return answered;
    }

    /**
     * A session that began while the database was read-only, or leads to the primary of yesterday, stays so. The pool
     * throws away what fails with an SQLSTATE of a lost connection, and this is how it meets one.
     */
    private static void evict(Connection connection, Throwable cause) {
        abort(connection);
        try {
            connection.rollback();
        } catch (SQLException | RuntimeException e) {
            Throwables.suppress(cause, e);
        }
    }

    /** Closes the socket, so that neither side goes on: the server rolls back what is open. */
    public static void abort(Connection connection) {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // It is broken already, which is what was wanted.
        }
    }

    private static void closeQuietly(Connection connection, Throwable cause) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            Throwables.suppress(cause, e);
        }
    }

    /** Limits each statement, each lock and each silence of the transaction that is open or begins with this. */
    public void limit(Connection connection, Duration limit) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement(hasTransactionTimeout() ? LIMITS + NO_TRANSACTION_TIMEOUT : LIMITS)) {
            String millis = Long.toString(limit.toMillis());
            statement.setString(1, millis);
            statement.setString(2, millis);
            statement.setString(3, millis);
            statement.execute();
        }
    }

    /** What runs inside {@link #inTransaction}. */
    @FunctionalInterface
    public interface Work<T> {
        T run(Connection connection) throws SQLException;
    }
}
