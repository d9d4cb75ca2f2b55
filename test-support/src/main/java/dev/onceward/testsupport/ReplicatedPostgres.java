package dev.onceward.testsupport;

import dev.onceward.testsupport.proxy.TcpProxy;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server with a synchronous standby, at one address that moves when the standby is promoted: what a COMMIT has
 * answered survives the loss of the primary. Both run as {@link ChildPostgres} does. Methods may be called from any thread;
 * those that change the servers wait for each other.
 */
public final class ReplicatedPostgres implements PostgresServer {
    private static final int FOLLOWS_SECONDS = 60;
    private static final String STREAMING =
            "SELECT count(*) FROM pg_stat_replication WHERE application_name = 'standby' AND state = 'streaming'";
    private static final String SYNCHRONOUS = STREAMING + " AND sync_state = 'sync'";
    private static final String SLOT = "SELECT pg_create_physical_replication_slot('standby', true)";

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
        lost.kill();
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
        PostgresAdmin admin = primary.admin();
        admin.text(SLOT);
        standby = primary.startStandby(options);
        await(admin, STREAMING);
        // The standby's own copy of the settings has no such line: promoted, it must not wait for somebody itself.
        admin.execute("ALTER SYSTEM SET synchronous_standby_names = 'standby'", "name its standby");
        admin.execute("SELECT pg_reload_conf()", "read its settings");
        await(admin, SYNCHRONOUS);
    }

    /** Waits until the standby, which was down or frozen, has caught up: a failover loses nothing from here on. */
    public synchronized void awaitInSync() {
        await(primary.admin(), SYNCHRONOUS);
    }

    private static void await(PostgresAdmin admin, String condition) {
        Await.until(() -> admin.text(condition).equals("1"), FOLLOWS_SECONDS, () -> "the standby does not follow");
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
