package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Breaks what the plan says, one after the other. */
final class Faults {

    private final Map<PlannedFault.Kind, Fault> faults = new EnumMap<>(PlannedFault.Kind.class);
    private final PauseFault pause;
    private final Screen screen;
    private final List<Strike> strikes = new ArrayList<>();

    Faults(Stage stage, Workers workers, Load load, DatabaseView database, Screen screen) {
        this.screen = screen;
        this.pause = new PauseFault(workers, load, database);
        faults.put(PlannedFault.Kind.KILL, new KillFault(workers, load, database));
        faults.put(PlannedFault.Kind.PAUSE, pause);
        stage.restartablePostgres()
                .ifPresent(server ->
                        faults.put(PlannedFault.Kind.DB_RESTART, new RestartFault(server, workers, load, database)));
    }

    /** Strikes and waits until the workers have got over it. */
    void strike(PlannedFault planned) throws InterruptedException, SQLException {
        Fault fault = faults.get(planned.kind());
        if (fault == null) {
            throw new DemoException("The demo cannot restart this PostgreSQL server: use --db-restarts 0");
        }
        long start = System.nanoTime();
        Strike strike = fault.strike(planned);
        strikes.add(strike);
        screen.broke(strike);
        boolean recovered = fault.recover();
        double seconds = (System.nanoTime() - start) / 1e9;
        screen.news(
                recovered
                        ? String.format("recovered %.1f s later", seconds)
                        : String.format("NOT recovered %.0f s later, going on all the same", seconds));
    }

    List<Strike> strikes() {
        return List.copyOf(strikes);
    }

    /** Transactions of frozen workers that were open while they were frozen. */
    List<OpenTransaction> frozenTransactions() {
        return pause.frozenTransactions();
    }
}
