package dev.onceward.testsupport;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL server in a process of its own that can be killed, stopped, frozen and started again with the same data and
 * the same port. It listens on 127.0.0.1 only and ends with this JVM, also when this JVM is killed.
 *
 * <p>Methods may be called from any thread; those that change the server wait for each other.
 */
public final class ChildPostgres implements PostgresServer, RestartableServer {

    /** What a standby calls itself, in {@code pg_stat_replication}. */
    public static final String STANDBY = "standby";

    private static final int PORT_ATTEMPTS = 3;

    private final PostgresCluster cluster;
    private final PostgresAddress address;
    private final ServerLifecycle lifecycle = new ServerLifecycle("PostgreSQL");
    private PostgresProcess process;
    private @Nullable String version;

    private ChildPostgres(PostgresCluster cluster, PostgresProcess process) {
        this.cluster = cluster;
        this.process = process;
        this.address = cluster.address();
    }

    /** Starts a new server with {@link PostgresOptions#durable()}. */
    public static ChildPostgres start() {
        return start(PostgresOptions.durable());
    }

    /**
     * Starts a new, empty server and waits until it accepts connections.
     *
     * @throws BackendException if it cannot be started; the message ends with its log
     */
    public static ChildPostgres start(PostgresOptions options) {
        return start(options, PostgresAccount.choose());
    }

    static ChildPostgres start(PostgresOptions options, PostgresAccount account) {
        return start(PostgresCluster.initialize(account), options);
    }

    /**
     * Starts a standby with a copy of this server's data, which follows this server until it is promoted. What it has not
     * received yet is kept for it, in a replication slot, also while it is down. It calls itself {@link #STANDBY}, and is
     * synchronous as soon as {@code synchronous_standby_names} says so.
     *
     * @param options of the standby
     */
    public ChildPostgres startStandby(PostgresOptions options) {
        // One that was asked for before may have failed, and left its slot.
        address.admin()
                .execute(
                        "SELECT pg_drop_replication_slot(slot_name) FROM pg_replication_slots WHERE slot_name = '"
                                + STANDBY + "'",
                        "drop a slot");
        address.admin().execute("SELECT pg_create_physical_replication_slot('" + STANDBY + "', true)", "make a slot");
        PostgresOptions following = options.with("primary_conninfo", address.connectionInfo(STANDBY))
                .with("primary_slot_name", STANDBY)
                .with("wal_retrieve_retry_interval", "200ms");
        return start(cluster.copy(), following);
    }

    private static ChildPostgres start(PostgresCluster cluster, PostgresOptions options) {
        for (int attempt = 1; ; attempt++) {
            cluster.configure(options, FreePorts.next());
            try {
                return new ChildPostgres(cluster, PostgresProcess.start(cluster));
            } catch (BackendException e) {
                // Another JVM may have taken the port since it was found free.
                if (attempt == PORT_ATTEMPTS || !cluster.logContains("could not bind")) {
                    cluster.delete();
                    throw e;
                }
            }
        }
    }

    @Override
    public String host() {
        return address.host();
    }

    @Override
    public int port() {
        return address.port();
    }

    @Override
    public String user() {
        return address.user();
    }

    @Override
    public String password() {
        return address.password();
    }

    @Override
    public String createDatabase() {
        return address.admin().createDatabase();
    }

    @Override
    public synchronized String serverVersion() {
        if (version == null) {
            version = address.admin().serverVersion();
        }
        return version;
    }

    @Override
    public synchronized long pid() {
        return process.pid();
    }

    @Override
    public synchronized boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public synchronized void kill() {
        lifecycle.to(ServerLifecycle.State.STOPPED);
        process.kill();
    }

    /** Stops in an orderly way: sessions are ended (SQLSTATE 57P01), open transactions rolled back, nothing needs recovery. */
    @Override
    public synchronized void stop() {
        thaw();
        lifecycle.to(ServerLifecycle.State.STOPPED);
        process.stopFast();
    }

    /** Stops at once (SIGQUIT): sessions are cut with a last warning, and the next start recovers from the log. */
    public synchronized void stopImmediate() {
        thaw();
        lifecycle.to(ServerLifecycle.State.STOPPED);
        process.stopImmediate();
    }

    @Override
    public synchronized void restart() {
        if (lifecycle.isUp()) {
            stop();
        }
        lifecycle.require(ServerLifecycle.State.STOPPED);
        process = PostgresProcess.start(cluster);
        lifecycle.to(ServerLifecycle.State.RUNNING);
    }

    /** Ends following another server, which must be gone: from now on this one takes writes. */
    public synchronized void promote() {
        // pg_promote throws nothing when it has not happened in time, and clients would meet a server that only reads.
        address.admin()
                .execute(
                        "DO $$ BEGIN IF NOT pg_promote(true, 60) THEN RAISE 'still a standby'; END IF; END $$",
                        "take writes");
    }

    /** Stops the server and all its sessions in their tracks: connections stay open and nothing answers. */
    @Override
    public synchronized void freeze() {
        lifecycle.to(ServerLifecycle.State.FROZEN);
        process.freeze();
    }

    @Override
    public synchronized void unfreeze() {
        lifecycle.require(ServerLifecycle.State.FROZEN);
        lifecycle.to(ServerLifecycle.State.RUNNING);
        process.unfreeze();
    }

    /**
     * Ends the process of one session with SIGKILL. The server then throws all others out and recovers, since the process may
     * have left shared memory in disorder.
     *
     * @param pid of the session, as {@code pg_stat_activity} tells it
     * @return whether it was there, and one of this server
     */
    public synchronized boolean killSession(long pid) {
        return signal(pid, "KILL");
    }

    /** Holds the process of one session with SIGSTOP: its locks and its connection stay. Returns whether it was there. */
    public synchronized boolean freezeSession(long pid) {
        return signal(pid, "STOP");
    }

    /** Lets the process of one session go on. Returns whether it was there. */
    public synchronized boolean unfreezeSession(long pid) {
        return signal(pid, "CONT");
    }

    /** Only to its own sessions: the number may have been given to another process since it was looked up. */
    private boolean signal(long session, String name) {
        boolean isOurs = ProcessHandle.of(session)
                .flatMap(ProcessHandle::parent)
                .filter(parent -> parent.pid() == process.pid())
                .isPresent();
        if (isOurs) {
            Signals.send(name, List.of(session));
        }
        return isOurs;
    }

    @Override
    public synchronized void close() {
        if (lifecycle.is(ServerLifecycle.State.CLOSED)) {
            return;
        }
        boolean up = lifecycle.isUp();
        thaw();
        lifecycle.to(ServerLifecycle.State.CLOSED);
        if (up && process.isAlive()) {
            process.stopImmediate();
        }
        cluster.delete();
    }

    private void thaw() {
        if (lifecycle.is(ServerLifecycle.State.FROZEN)) {
            unfreeze();
        }
    }
}
