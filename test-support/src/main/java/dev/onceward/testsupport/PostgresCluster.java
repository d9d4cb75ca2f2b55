package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The files of one PostgreSQL server: data, configuration, log; and with whom and where it runs. */
final class PostgresCluster {

    static final String USER = "postgres";

    private static final String HOST = "127.0.0.1";
    private static final int INITDB_SECONDS = 60;

    private final Path binaries;
    private final Path directory;
    private final PostgresAccount account;
    // Without one, whoever can reach loopback on a shared machine would be a superuser, and so this user.
    private final String password;
    private int port;

    private PostgresCluster(Path binaries, PostgresAccount account, String password) {
        this.binaries = binaries;
        this.directory = WorkDirectory.create("postgres");
        this.account = account;
        this.password = password;
    }

    static PostgresCluster initialize(PostgresAccount account) {
        PostgresCluster cluster = new PostgresCluster(
                PostgresBinaries.unpacked(), account, UUID.randomUUID().toString());
        try {
            cluster.initdb();
            return cluster;
        } catch (IOException | RuntimeException e) {
            cluster.delete();
            throw e instanceof BackendException known
                    ? known
                    : new BackendException("initdb could not be run: " + e, e);
        }
    }

    /** The same data as this cluster, whose server runs, as a standby that will follow it. */
    PostgresCluster copy() {
        PostgresCluster copy = new PostgresCluster(binaries, account, password);
        try {
            account.give(copy.directory);
            BaseBackup.take(address(), data(), copy.data());
            Files.createFile(copy.data().resolve("standby.signal"));
            account.giveAll(copy.data());
            return copy;
        } catch (IOException | SQLException | RuntimeException e) {
            copy.delete();
            throw new BackendException("PostgreSQL's data could not be copied for a standby: " + e, e);
        }
    }

    PostgresAddress address() {
        return new PostgresAddress(HOST, port, USER, password);
    }

    Path directory() {
        return directory;
    }

    Path log() {
        return directory.resolve("postgres.log");
    }

    /** Written by the server: its pid in the first line, the id of its shared memory in the seventh, its state in the eighth. */
    Path lockFile() {
        return data().resolve("postmaster.pid");
    }

    List<String> serverCommand() {
        return account.command(List.of(program("postgres"), "-D", data().toString()));
    }

    void configure(PostgresOptions options, int newPort) {
        port = newPort;
        Map<String, String> settings = options.effective();
        settings.put("listen_addresses", HOST);
        settings.put("port", Integer.toString(port));
        settings.put("unix_socket_directories", "");
        settings.put("logging_collector", "off");
        Path file = data().resolve("onceward.conf");
        try {
            Files.writeString(file, PostgresOptions.asConfiguration(settings));
        } catch (IOException e) {
            throw new BackendException("Could not write " + file + ": " + e, e);
        }
        account.give(file);
    }

    boolean logContains(String text) {
        try {
            return Files.exists(log()) && Files.readString(log()).contains(text);
        } catch (IOException e) {
            return false;
        }
    }

    void delete() {
        WorkDirectory.delete(directory);
    }

    private void initdb() throws IOException {
        account.give(directory);
        Path passwordFile = directory.resolve("password");
        Files.writeString(passwordFile, password);
        account.give(passwordFile);
        List<String> command = account.command(List.of(
                program("initdb"),
                "--pgdata=" + data(),
                "--username=" + USER,
                "--pwfile=" + passwordFile,
                "--auth=scram-sha-256",
                // Guards a random password; the usual 4096 rounds would be paid at each of a test's many connections.
                "--set=scram_iterations=16",
                "--encoding=UTF8",
                "--locale=C",
                "--no-sync"));
        run(command);
        Files.delete(passwordFile);
        Files.writeString(
                data().resolve("postgresql.conf"), "\ninclude = 'onceward.conf'\n", StandardOpenOption.APPEND);
    }

    private void run(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log().toFile()));
        builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
        Process process = builder.start();
        try {
            if (!process.waitFor(INITDB_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                throw new BackendException("initdb failed:\n" + WorkDirectory.tail(log()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BackendException("Interrupted while initdb was running", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private Path data() {
        return directory.resolve("data");
    }

    private String program(String name) {
        return binaries.resolve("bin").resolve(name).toString();
    }
}
