package dev.onceward.engine;

import dev.onceward.crash.CrashPoint;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.WorkerTable;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** By a connection that it keeps: a pool emptied by handlers does not make the heartbeat late. */
final class DatabasePresence implements Presence {
    // The server gives a heartbeat up before this side does (half a lease, and a lease): a session that waits for a
    // locked table, or whose worker was frozen or cut off between two statements and keeps rows of its partitions from
    // whoever takes them over, would otherwise stay, and each failed heartbeat would leave one more.
    private final Database database;
    private final WorkerTable workers;
    private final Duration lease;
    private final Duration serverLimit;
    private @Nullable Connection connection;

    DatabasePresence(Database database, WorkerTable workers, Duration lease) {
        this.database = database;
        this.workers = workers;
        this.lease = lease;
        this.serverLimit = lease.dividedBy(2);
    }

    @Override
    public Beat beat(Set<Fence> owned, Collection<WorkerTable.Watermark> moved) throws SQLException {
        Connection open = connection();
        database.limit(open, serverLimit);
        workers.stamp(open);
        Set<Fence> stale = workers.stale(open, owned);
        // Last: a takeover waits for these rows.
        Set<Integer> stored = workers.storeWatermarks(open, moved);
        CrashPoint.BEFORE_HEARTBEAT.reached();
        open.commit();
        CrashPoint.AFTER_HEARTBEAT.reached();
        return new Beat(stale, stored);
    }

    @Override
    public void end() throws SQLException {
        Connection open = connection();
        database.limit(open, serverLimit);
        workers.remove(open);
        open.commit();
        open.close();
        connection = null;
    }

    @Override
    public void drop() {
        Connection open = connection;
        connection = null;
        if (open != null) {
            Database.abort(open);
            Database.rollbackAndClose(open, new SQLException("a heartbeat failed"));
        }
    }

    private Connection connection() throws SQLException {
        Connection open = connection;
        if (open == null) {
            open = database.open();
            // A half-open socket must not make this thread wait for ever; a lease is the longest that is of use.
            open.setNetworkTimeout(Runnable::run, Math.toIntExact(lease.toMillis()));
            connection = open;
        }
        return open;
    }
}
