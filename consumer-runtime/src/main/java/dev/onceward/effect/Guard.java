package dev.onceward.effect;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Array;
import java.sql.Blob;
import java.sql.CallableStatement;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What everything shares that a handler is given of one connection: whose turn it is, what must happen before SQL of its
 * own runs, and which statements it has open.
 */
final class Guard {

    /** Runs before a statement of the handler's own. */
    @FunctionalInterface
    interface BeforeSql {
        void run() throws SQLException;
    }

    private static final List<Class<?>> RESULTS =
            List.of(ResultSet.class, DatabaseMetaData.class, Array.class, Blob.class, Clob.class);

    private final BeforeSql beforeSql;
    private final Connection guarded;
    private final TurnSavepoint savepoint;
    private final IdentityHashMap<Statement, Statement> statements = new IdentityHashMap<>();
    private @Nullable SQLException lastError;
    private boolean trusted;
    private boolean doubtful;

    // Read by threads that must find themselves refused.
    private volatile @Nullable Thread owner;
    private volatile boolean ended;

    Guard(Connection connection, BeforeSql beforeSql) {
        this.beforeSql = beforeSql;
        this.savepoint = new TurnSavepoint(connection);
        this.guarded = proxy(Connection.class, new GuardedConnection(this, connection));
    }

    /** What the handler gets as its connection. */
    Connection connection() {
        return guarded;
    }

    /** The calling thread's turn begins; what the handler before it left open is closed. */
    void begin() {
        owner = Thread.currentThread();
        closeStatements();
        lastError = null;
        doubtful = false;
    }

    /** A text runs in which a word stands that can end a transaction. */
    void doubt() {
        doubtful = true;
    }

    /** Whether such a text ran since the turn began. */
    boolean doubtful() {
        return doubtful;
    }

    /** A text runs, or a method, that may set a savepoint. */
    void wantsSavepoint() {
        savepoint.want();
    }

    /**
     * The handler has returned: no savepoint outlives its turn.
     *
     * @throws SQLException the transaction is not as the handler should have left it
     */
    void endTurn() throws SQLException {
        savepoint.end();
    }

    /**
     * From now on everything handed out is refused. May be called by another thread than the handler's; the statements of
     * a handler that is still running are then left to whoever aborts the connection: closing them here could block.
     */
    void end() {
        ended = true;
        if (isTurnOfCaller()) {
            closeStatements();
        }
    }

    boolean isTurnOfCaller() {
        return Thread.currentThread() == owner;
    }

    /** Whether nothing handed out may be used any more. */
    boolean ended() {
        return ended;
    }

    /** The error that a statement of the handler's last ended in, since its turn began. */
    @Nullable
    SQLException lastError() {
        return lastError;
    }

    /** Runs the team's own set-up of a handle, which may reach for the driver. */
    void trusting(Runnable setUp) {
        trusted = true;
        try {
            setUp.run();
        } finally {
            trusted = false;
        }
    }

    boolean trusting() {
        return trusted;
    }

    /** @throws IllegalStateException if the turn is over or another thread's */
    void check(String what) {
        if (ended) {
            throw new IllegalStateException(
                    what + " is refused: the transaction it belonged to has ended; what an effect"
                            + " gives is valid only while the handler runs");
        }
        if (!isTurnOfCaller()) {
            Thread expected = owner;
            throw new IllegalStateException(what + " is refused: it was called by thread "
                    + Thread.currentThread().getName() + ", but only the "
                    + (expected == null ? "handler's thread" : "thread of the handler, " + expected.getName() + ",")
                    + " may use its transaction");
        }
    }

    /** Before a statement of the handler's own runs. */
    void beforeSql() throws SQLException {
        if (!trusted || savepoint.due()) {
            beforeSql.run();
            savepoint.beforeSql();
        }
    }

    void failed(SQLException error) {
        lastError = error;
    }

    void closed(Statement statement) {
        statements.remove(statement);
    }

    /** Guards what a guarded object answers with. */
    @Nullable
    Object guard(@Nullable Object answer) {
        if (answer instanceof Connection) {
            return guarded;
        }
        if (answer instanceof Statement statement) {
            return statements.computeIfAbsent(statement, this::guardStatement);
        }
        if (answer == null) {
            return null;
        }
        Class<?> type = resultType(answer);
        return type == null ? answer : proxy(type, new GuardedResult(this, answer));
    }

    /** What else leads back to the connection, or goes on using it. */
    private static @Nullable Class<?> resultType(Object answer) {
        for (Class<?> type : RESULTS) {
            if (type.isInstance(answer)) {
                return type;
            }
        }
        return null;
    }

    private Statement guardStatement(Statement statement) {
        GuardedStatement handler = new GuardedStatement(this, statement);
        if (statement instanceof CallableStatement) {
            return proxy(CallableStatement.class, handler);
        }
        return statement instanceof PreparedStatement
                ? proxy(PreparedStatement.class, handler)
                : proxy(Statement.class, handler);
    }

    private void closeStatements() {
        List<Statement> open = new ArrayList<>(statements.keySet());
        statements.clear();
        for (Statement statement : open) {
            try {
                statement.close();
            } catch (SQLException e) {
                // Closing is local to the driver; if it fails the connection is broken, and COMMIT will say so.
                lastError = e;
            }
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(Guard.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
