package dev.onceward.testsupport;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * PgBouncer before a PostgreSQL server, pooling transactions: each transaction of a client may run in another session of
 * the server. Needs the program, on Debian from the package {@code pgbouncer}. It listens on 127.0.0.1 only and ends with
 * this JVM. Thread-safe.
 *
 * <p>{@link #host}, {@link #port} and {@link #jdbcUrl} lead through it: that is for what is tested. {@link #dataSource}
 * leads past it, for the test's own look at the server.
 */
public final class PgBouncer implements PostgresServer {
    /** The system property that says which pooler stands before the servers of tests; {@code pgbouncer} or nothing. */
    public static final String PROPERTY = "onceward.pooler";

    private static final List<Path> PROGRAMS =
            List.of(Path.of("/usr/sbin/pgbouncer"), Path.of("/usr/bin/pgbouncer"), Path.of("/usr/local/bin/pgbouncer"));
    private static final int READY_SECONDS = 20;
    private static final int USUAL_SESSIONS = 30;

    private final PostgresServer server;
    private final PostgresAccount account = PostgresAccount.choose();
    private final Path directory = WorkDirectory.create("pgbouncer");
    private final int port = FreePorts.next();
    private final GuardedProcess process;

    private PgBouncer(PostgresServer server, int sessions) {
        this.server = server;
        try {
            configure(sessions);
            process = GuardedProcess.start(
                    account.command(List.of(
                            program().toString(),
                            directory.resolve("pgbouncer.ini").toString())),
                    List.of("INT", "KILL"),
                    directory,
                    builder -> builder.redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile())));
            awaitReady();
        } catch (IOException | RuntimeException e) {
            WorkDirectory.delete(directory);
            throw e instanceof BackendException known
                    ? known
                    : new BackendException("PgBouncer could not be started: " + e, e);
        }
    }

    /**
     * Starts one.
     *
     * @param sessions that it opens at most for each database and role
     * @throws BackendException if it cannot be started, or is not there
     */
    public static PgBouncer before(PostgresServer server, int sessions) {
        return new PgBouncer(server, sessions);
    }

    /** One before this server, if {@link #PROPERTY} asks for it; whoever gets it closes it. */
    public static Optional<PgBouncer> ifWanted(PostgresServer server) {
        String wanted = System.getProperty(PROPERTY, "");
        return switch (wanted) {
            case "" -> Optional.empty();
            case "pgbouncer" -> Optional.of(before(server, USUAL_SESSIONS));
            default -> throw new IllegalArgumentException(PROPERTY + "=" + wanted + ": there is only pgbouncer");
        };
    }

    private static Path program() {
        return PROGRAMS.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new BackendException(
                        "There is no pgbouncer in " + PROGRAMS + ": install it (Debian: apt-get install pgbouncer)"));
    }

    private void configure(int sessions) throws IOException {
        Path users = directory.resolve("users.txt");
        Files.writeString(users, "\"" + server.user() + "\" \"" + server.password() + "\"\n");
        Path settings = directory.resolve("pgbouncer.ini");
        Files.writeString(settings, """
                [databases]
                * = host=%s port=%d
                [pgbouncer]
                listen_addr = 127.0.0.1
                listen_port = %d
                unix_socket_dir =
                pool_mode = transaction
                default_pool_size = %d
                max_client_conn = 2000
                auth_type = scram-sha-256
                auth_file = %s
                auth_user = %s
                auth_query = SELECT usename, passwd FROM pg_catalog.pg_shadow WHERE usename = $1
                ignore_startup_parameters = extra_float_digits,options
                server_login_retry = 1
                log_connections = 1
                log_disconnections = 1
                """.formatted(server.host(), server.port(), port, sessions, users, server.user()));
        List.of(directory, users, settings).forEach(account::give);
    }

    private void awaitReady() {
        Await.until(
                () -> !process.isAlive() || listens(),
                READY_SECONDS,
                () -> "PgBouncer does not listen:\n" + WorkDirectory.tail(log()));
        if (!process.isAlive()) {
            throw new BackendException("PgBouncer did not start:\n" + WorkDirectory.tail(log()));
        }
    }

    private boolean listens() {
        try (Socket socket = new Socket(FreePorts.loopback(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private Path log() {
        return directory.resolve("pgbouncer.log");
    }

    @Override
    public String host() {
        return FreePorts.loopback().getHostAddress();
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String user() {
        return server.user();
    }

    @Override
    public String password() {
        return server.password();
    }

    /** With the setting that the driver needs: a statement prepared in one session is not there in the next. */
    @Override
    public String jdbcUrl(String database) {
        return PostgresAddress.url(host(), port, database) + "?prepareThreshold=0";
    }

    @Override
    public DataSource dataSource(String database) {
        return server.dataSource(database);
    }

    @Override
    public String createDatabase() {
        return server.createDatabase();
    }

    @Override
    public String serverVersion() {
        return server.serverVersion();
    }

    /**
     * How many connections to a database clients hold open here. The server cannot say: the sessions that it sees are the
     * pooler's, which keeps them for the next.
     */
    public long connections(String database) {
        // From its log: its console refuses the driver, which sets extra_float_digits before anything else.
        String client = ": " + database + "/";
        try (Stream<String> lines = Files.lines(log())) {
            return lines.filter(line -> line.contains(" C-") && line.contains(client))
                    .mapToLong(line ->
                            line.contains(" login attempt: ") ? 1 : line.contains(" closing because: ") ? -1 : 0)
                    .sum();
        } catch (IOException e) {
            throw new BackendException("The log of PgBouncer cannot be read: " + e, e);
        }
    }

    /** Ends the pooler; the server goes on. */
    @Override
    public void close() {
        process.kill();
        WorkDirectory.delete(directory);
    }
}
