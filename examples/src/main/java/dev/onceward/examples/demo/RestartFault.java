package dev.onceward.examples.demo;

import dev.onceward.testsupport.RestartableServer;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Shuts PostgreSQL down, which ends all sessions and open transactions, and starts it again. */
final class RestartFault implements Fault {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final RestartableServer server;
    private final Workers workers;
    private final Load load;
    private final DatabaseView database;
    private @Nullable Instant restartedAt;

    RestartFault(RestartableServer server, Workers workers, Load load, DatabaseView database) {
        this.server = server;
        this.workers = workers;
        this.load = load;
        this.database = database;
    }

    @Override
    public Strike strike(PlannedFault planned) throws InterruptedException, SQLException {
        load.topUp();
        Load.Measure measured = load.measure();
        server.restart();
        restartedAt = database.now();
        return new Strike(planned.kind(), "PostgreSQL restarted", measured);
    }

    @Override
    public boolean recover() throws InterruptedException {
        Instant since = restartedAt;
        return since != null
                && Poll.until(PATIENCE, () -> {
                    Map<String, Instant> heartbeats = database.heartbeats();
                    return workers.running().stream()
                            .allMatch(worker -> heartbeats
                                    .getOrDefault(worker.id(), Instant.MIN)
                                    .isAfter(since));
                });
    }
}
