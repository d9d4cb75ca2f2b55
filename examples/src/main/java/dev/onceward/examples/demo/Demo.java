package dev.onceward.examples.demo;

import dev.onceward.catalog.EventNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;

/** One run: servers, messages, workers, faults, verdict. */
final class Demo {

    /** How much more than up to the next fault is sent, as a part of all: what is worked on while a fault is got over. */
    private static final double AHEAD = 0.2;

    /** More is sent only after the last fault: each is to strike before 90%. */
    private static final double LAST_BEFORE_FAULTS = 0.88;

    /** Without any progress for so long the run is over, and the verdict says what is missing. */
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final Scenario scenario;
    private final Plan plan;
    private final Screen screen;
    private final boolean json;
    private final EventLines events = new EventLines();

    Demo(Scenario scenario, Screen screen, boolean json) {
        this.scenario = scenario;
        this.plan = Plan.of(scenario);
        this.screen = screen;
        this.json = json;
    }

    /** Runs it; whether all guarantees held. */
    boolean run() throws InterruptedException, SQLException, IOException {
        announce();
        Path logs = Files.createTempDirectory("onceward-demo-");
        try (Stage stage = Stage.set(scenario, plan)) {
            screen.news("Kafka and PostgreSQL " + stage.serverVersion() + " are up, logs of the workers: " + logs);
            if (scenario.dbRestarts() > 0 && stage.restartablePostgres().isEmpty()) {
                throw new DemoException("The demo cannot restart this PostgreSQL server: use --db-restarts 0");
            }
            Summary summary = run(stage, logs);
            if (summary.ok()) {
                Logs.delete(logs);
            } else {
                screen.say("The logs of the workers are in " + logs);
            }
            if (json) {
                screen.say(summary.json());
            }
            return summary.ok();
        }
    }

    private Summary run(Stage stage, Path logs) throws InterruptedException, SQLException {
        DatabaseView database = new DatabaseView(stage.dataSource(), stage.consumer(), stage.topic());
        long takeoversAtStart = database.uncleanTakeovers();
        try (Publisher publisher = new Publisher(plan, stage.bootstrapServers(), stage.topic());
                Workers workers = new Workers(scenario, stage, events, logs, screen::news)) {
            Faults faults = new Faults(stage, workers, new Load(plan, publisher, database), database, screen);
            workers.startAll();
            Tracker tracker = new Tracker(stage, database, publisher);
            try (Progress progress = new Progress(
                    tracker, screen, plan.uniqueGood(), () -> workers.running().isEmpty())) {
                carryOut(publisher, progress, faults);
            }
            screen.news("stopping the workers, then reading the database and the topics");
            workers.stopAll();
            Findings findings =
                    new Audit(plan, stage, database).findings(faults.frozenTransactions(), takeoversAtStart);
            Verdict verdict = Verdict.of(
                    scenario,
                    plan,
                    findings,
                    faults.strikes(),
                    workers.endedByThemselves().size());
            Summary summary = summary(findings, verdict, faults.strikes(), workers.endedByThemselves());
            report(verdict, summary);
            return summary;
        }
    }

    private void carryOut(Publisher publisher, Progress progress, Faults faults)
            throws InterruptedException, SQLException {
        for (PlannedFault fault : plan.faults()) {
            publisher.allow((int) (Math.min(fault.at() + AHEAD, LAST_BEFORE_FAULTS) * plan.records()));
            if (!reached(progress, position -> position.effects() >= fault.at() * plan.uniqueGood())) {
                return;
            }
            faults.strike(fault);
        }
        publisher.allow(plan.records());
        reached(progress, position -> position.finished() == plan.records());
    }

    private boolean reached(Progress progress, Predicate<Tracker.Position> farEnough) throws InterruptedException {
        boolean reached = progress.await(farEnough, PATIENCE);
        if (!reached) {
            screen.news("no worker is left, or none gets on for " + PATIENCE.toSeconds() + " s: giving up");
        }
        return reached;
    }

    private void announce() {
        screen.say(String.format(
                Locale.ROOT,
                "Onceward demo: %,d payments (%,d sent twice, %d that no handler can process, %d undecodable), %d workers,"
                        + " seed %d%s",
                scenario.messages(),
                scenario.duplicates(),
                Scenario.UNPROCESSABLE,
                Scenario.UNDECODABLE,
                scenario.workers(),
                scenario.seed(),
                scenario.claims() ? "" : ", WITHOUT CLAIMS"));
        if (scenario.faults() > 0) {
            screen.say(String.format(
                    Locale.ROOT,
                    "Faults: %d x SIGKILL, %d x SIGSTOP with an open transaction, %d x PostgreSQL restart. A payment takes"
                            + " %d ms, as if another system were called: so there is load until the last fault.",
                    scenario.kills(),
                    scenario.pauses(),
                    scenario.dbRestarts(),
                    scenario.handlerTime().toMillis()));
        }
    }

    private void report(Verdict verdict, Summary summary) {
        screen.say("");
        screen.say("Verdict, from the database and the topics:");
        verdict.table().forEach(screen::say);
        screen.say("");
        screen.say(String.format(
                Locale.ROOT,
                "Told by the workers: %,d records redelivered, %,d commits with unknown outcome.",
                summary.redelivered(),
                summary.unknownCommits()));
        screen.say(String.format(
                Locale.ROOT,
                "%s  %.0f s, seed %d",
                verdict.holds() ? "EVERYTHING HELD." : "FAILED: see above.",
                summary.seconds(),
                scenario.seed()));
    }

    private Summary summary(Findings findings, Verdict verdict, List<Strike> strikes, List<String> endedByThemselves) {
        return new Summary(
                verdict.holds(),
                scenario.seed(),
                scenario.claims(),
                scenario.messages(),
                scenario.workers(),
                findings.produced(),
                findings.uniqueGood(),
                findings.effects().effects(),
                findings.effects().lost(),
                findings.effects().doubled(),
                findings.effects().outOfOrder(),
                findings.effects().foreign(),
                findings.accountsOff(),
                findings.bad(),
                findings.deadLetters().matching(),
                findings.deadLetters().wrong(),
                findings.deadLetters().duplicates(),
                count(strikes, PlannedFault.Kind.KILL),
                count(strikes, PlannedFault.Kind.PAUSE),
                count(strikes, PlannedFault.Kind.DB_RESTART),
                strikes.stream().filter(Strike::underLoad).count(),
                findings.takeovers(),
                findings.frozen(),
                findings.fenced(),
                endedByThemselves.size(),
                events.messages(EventNames.REDELIVERED),
                events.lines(EventNames.UNKNOWN_COMMIT),
                Math.round(screen.seconds() * 10) / 10.0);
    }

    private static int count(List<Strike> strikes, PlannedFault.Kind kind) {
        return (int) strikes.stream().filter(strike -> strike.kind() == kind).count();
    }
}
