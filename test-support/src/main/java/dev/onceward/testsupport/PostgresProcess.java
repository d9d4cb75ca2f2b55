package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One run of a PostgreSQL server, from its start to its end. */
final class PostgresProcess {

    private static final int READY_SECONDS = 60;
    private static final int STOP_SECONDS = 60;
    private static final int SHARED_MEMORY_LINE = 6;
    private static final int STATE_LINE = 7;

    private final PostgresCluster cluster;
    private final GuardedProcess postmaster;

    private PostgresProcess(PostgresCluster cluster, GuardedProcess postmaster) {
        this.cluster = cluster;
        this.postmaster = postmaster;
    }

    /** Starts it and waits until it accepts connections, crash recovery included. */
    static PostgresProcess start(PostgresCluster cluster) {
        // QUIT: the server ends its children and frees its shared memory, which after KILL nobody does.
        GuardedProcess postmaster =
                GuardedProcess.start(cluster.serverCommand(), List.of("QUIT", "KILL"), cluster.directory(), builder -> {
                    builder.redirectErrorStream(true);
                    builder.redirectOutput(
                            ProcessBuilder.Redirect.appendTo(cluster.log().toFile()));
                    builder.environment().keySet().removeIf(name -> name.startsWith("PG"));
                });
        PostgresProcess process = new PostgresProcess(cluster, postmaster);
        try {
            Await.until(
                    () -> !postmaster.isAlive() || process.isReady(), READY_SECONDS, () -> "PostgreSQL is not ready");
        } catch (BackendException e) {
            process.kill();
            throw new BackendException(e.getMessage() + ":\n" + WorkDirectory.tail(cluster.log()), e);
        }
        if (!postmaster.isAlive()) {
            throw new BackendException("PostgreSQL did not start:\n" + WorkDirectory.tail(cluster.log()));
        }
        return process;
    }

    long pid() {
        return postmaster.pid();
    }

    boolean isAlive() {
        return postmaster.isAlive();
    }

    /** SIGINT: sessions are ended, transactions rolled back, a checkpoint is written. */
    void stopFast() {
        stop("INT");
    }

    /** SIGQUIT: like a crash, but all processes end in an orderly way. */
    void stopImmediate() {
        stop("QUIT");
    }

    private void stop(String signal) {
        Signals.send(signal, List.of(pid()));
        postmaster.awaitExit(STOP_SECONDS);
    }

    /** SIGKILL for the server and all its sessions, and nothing left behind that would hinder the next start. */
    void kill() {
        postmaster.kill();
        List<String> lock = lockFile();
        if (lock.size() > SHARED_MEMORY_LINE) {
            removeSharedMemory(lock.get(SHARED_MEMORY_LINE).trim());
        }
        try {
            // The server would refuse to start if its pid of now belonged to another process by then.
            Files.deleteIfExists(cluster.lockFile());
        } catch (IOException e) {
            throw new BackendException("Could not delete " + cluster.lockFile() + ": " + e, e);
        }
    }

    void freeze() {
        Signals.stop(pid()); // the one that starts the others goes first, so that none is missed
        postmaster.process().descendants().forEach(child -> Signals.stop(child.pid()));
    }

    void unfreeze() {
        List<Long> pids = new ArrayList<>();
        postmaster.process().descendants().forEach(child -> pids.add(child.pid()));
        pids.add(pid());
        Signals.send("CONT", pids);
    }

    private boolean isReady() {
        List<String> lock = lockFile();
        return lock.size() > STATE_LINE && lock.get(STATE_LINE).startsWith("ready");
    }

    private List<String> lockFile() {
        try {
            return Files.readAllLines(cluster.lockFile());
        } catch (IOException e) {
            return List.of(); // not there yet, or no more
        }
    }

    /** The few bytes of System V memory by which a server guards its directory outlive the server. */
    private static void removeSharedMemory(String keyAndId) {
        String id = keyAndId.substring(keyAndId.lastIndexOf(' ') + 1);
        try {
            Process ipcrm = new ProcessBuilder("ipcrm", "-m", id)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            ipcrm.waitFor(10, TimeUnit.SECONDS);
        } catch (IOException e) {
            // No such program: the next start with this directory takes the memory over.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
