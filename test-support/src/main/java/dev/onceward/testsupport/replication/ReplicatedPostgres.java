package dev.onceward.testsupport.replication;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.ChildPostgres;
import dev.onceward.testsupport.PostgresOptions;
import dev.onceward.testsupport.PostgresServer;
import dev.onceward.testsupport.proxy.TcpProxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server with a synchronous standby, at one address that moves when the standby is promoted: what a COMMIT has
 * answered survives the loss of the primary. Both run as {@link ChildPostgres} does. Methods may be called from any thread;
 * those that change the servers wait for each other.
 */
public final class ReplicatedPostgres implements PostgresServer {
    private static final Duration FOLLOWS = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);
    private static final String NAME_STANDBY =
            "ALTER SYSTEM SET synchronous_standby_names = '" + ChildPostgres.STANDBY + "'";
    private static final String STREAMING = "SELECT count(*) FROM pg_stat_replication WHERE application_name = '"
            + ChildPostgres.STANDBY + "' AND state = 'streaming'";
    private static final String SYNCHRONOUS = STREAMING + " AND sync_state = 'sync'";

    private final PostgresOptions options;
    private final TcpProxy front;
    private ChildPostgres primary;
    private @Nullable ChildPostgres standby;

    private ReplicatedPostgres(PostgresOptions options) {
        this.options = options;
        this.primary = ChildPostgres.start(options);
        this.front = TcpProxy.to(primary.host(), primary.port());
    }

    /**
     * Starts both, and waits until the standby is in sync.
     *
     * @throws BackendException if one of them cannot be started
     */
    public static ReplicatedPostgres start(PostgresOptions options) {
        ReplicatedPostgres servers = new ReplicatedPostgres(options);
        try {
            servers.renewStandby();
            return servers;
        } catch (RuntimeException e) {
            servers.close();
            throw e;
        }
    }

    /** The server that takes writes at present. */
    public synchronized ChildPostgres primary() {
        return primary;
    }

    /** Its standby. While it is down or frozen, every COMMIT waits. */
    public synchronized ChildPostgres standby() {
        ChildPostgres current = standby;
        if (current == null) {
            throw new IllegalStateException("There is no standby since the last failover");
        }
        return current;
    }

    /**
     * The primary ends with SIGKILL and is gone for good; the standby takes its place, alone: COMMIT waits for nobody until
     * the standby is {@linkplain #renewStandby() renewed}. The order is what every failover must keep: no client reaches
     * the old primary any more when the new one takes its first write.
     */
    public synchronized void failOver() {
        ChildPostgres promoted = standby();
        ChildPostgres lost = primary;
        if (lost.isAlive()) {
            lost.kill();
        }
        promoted.promote();
        primary = promoted;
        standby = null;
        front.redirect(promoted.host(), promoted.port());
        lost.close();
    }

    /** A new standby from the primary's files, in place of one that was promoted; returns when it is in sync. */
    public synchronized void renewStandby() {
        if (standby != null) {
            throw new IllegalStateException("There is a standby already");
        }
        standby = primary.startStandby(options);
        await(STREAMING);
        // The standby's own copy of the settings has no such line: promoted, it must not wait for somebody itself.
        execute(NAME_STANDBY);
        execute("SELECT pg_reload_conf()");
        await(SYNCHRONOUS);
    }

    /** Waits until the standby, which was down or frozen, has caught up: a failover loses nothing from here on. */
    public synchronized void awaitInSync() {
        await(SYNCHRONOUS);
    }

    private void await(String condition) {
        long deadline = System.nanoTime() + FOLLOWS.toNanos();
        while (execute(condition) != 1) {
            if (System.nanoTime() - deadline > 0) {
                throw new BackendException("The standby does not follow after " + FOLLOWS.toSeconds() + " s");
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Returns the number in the first row, if there is one; otherwise 0. */
    private long execute(String sql) {
        try (Connection connection = primary.dataSource("postgres").getConnection();
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return 0;
            }
            try (ResultSet row = statement.getResultSet()) {
                return row.next() && row.getObject(1) instanceof Long number ? number : 0;
            }
        } catch (SQLException e) {
            throw new BackendException("The primary did not do: " + sql + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String host() {
        return front.host();
    }

    @Override
    public int port() {
        return front.port();
    }

    @Override
    public String user() {
        return primary().user();
    }

    @Override
    public String password() {
        return primary().password();
    }

    @Override
    public String createDatabase() {
        return primary().createDatabase();
    }

    @Override
    public String serverVersion() {
        return primary().serverVersion();
    }

    @Override
    public synchronized void close() {
        front.close();
        if (standby != null) {
            standby.close();
        }
        primary.close();
    }
}
