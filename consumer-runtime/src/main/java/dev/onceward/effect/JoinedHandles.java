package dev.onceward.effect;

import java.sql.Connection;
import java.sql.SQLException;
import org.jdbi.v3.core.ConnectionFactory;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.DelegatingTransactionHandler;
import org.jdbi.v3.core.transaction.LocalTransactionHandler;
import org.jdbi.v3.core.transaction.TransactionHandler;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;
import org.jspecify.annotations.Nullable;

/** Handles that join the transaction of the handler that runs on the calling thread. */
final class JoinedHandles {

    private static final ThreadLocal<@Nullable Guard> RUNNING = new ThreadLocal<>();

    private JoinedHandles() {}

    static Jdbi newJdbi() {
        return Jdbi.create(new Connections()).setTransactionHandler(new Joining(LocalTransactionHandler.binding()));
    }

    static void join(Guard guard) {
        RUNNING.set(guard);
    }

    static void leave(Guard guard) {
        if (RUNNING.get() == guard) {
            RUNNING.remove();
        }
    }

    static Handle open(Jdbi jdbi, Guard guard) {
        Handle[] handle = new Handle[1];
        guard.trusting(() -> handle[0] = jdbi.open());
        return handle[0];
    }

    private static final class Connections implements ConnectionFactory {
        @Override
        public Connection openConnection() throws SQLException {
            Guard running = RUNNING.get();
            if (running == null) {
                throw new SQLException("this Jdbi opens handles only on the thread of a running handler");
            }
            return running.connection();
        }

        @Override
        public void closeConnection(Connection connection) {
            // The transaction goes on.
        }
    }

    private static final class Joining extends DelegatingTransactionHandler {
        Joining(TransactionHandler delegate) {
            super(delegate);
        }

        @Override
        public TransactionHandler specialize(Handle handle) throws SQLException {
            return new Joining(getDelegate().specialize(handle));
        }

        @Override
        public boolean isInTransaction(Handle handle) {
            return true;
        }

        @Override
        public void begin(Handle handle) {
            throw refused("setAutoCommit");
        }

        @Override
        public void commit(Handle handle) {
            throw refused("commit");
        }

        @Override
        public void rollback(Handle handle) {
            throw refused("rollback");
        }

        @Override
        public <R, X extends Exception> R inTransaction(Handle handle, HandleCallback<R, X> callback) throws X {
            return callback.withHandle(handle);
        }

        @Override
        public <R, X extends Exception> R inTransaction(
                Handle handle, TransactionIsolationLevel level, HandleCallback<R, X> callback) throws X {
            return callback.withHandle(handle);
        }

        private static IllegalStateException refused(String method) {
            return new IllegalStateException(Refusal.ofConnectionMethod(method, 0));
        }
    }
}
