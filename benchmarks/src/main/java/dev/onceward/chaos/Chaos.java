package dev.onceward.chaos;

import static java.util.Objects.requireNonNull;

import dev.onceward.catalog.EventNames;
import dev.onceward.chaos.FaultKind.Victim;
import dev.onceward.migrations.Migrations;
import dev.onceward.testsupport.guarantees.DeadLetterOnce;
import dev.onceward.testsupport.guarantees.EffectOnce;
import dev.onceward.testsupport.guarantees.Finding;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.KeyOrder;
import dev.onceward.testsupport.guarantees.NoWriteAfterFence;
import dev.onceward.testsupport.guarantees.NothingLeaks;
import dev.onceward.testsupport.guarantees.NothingLost;
import dev.onceward.testsupport.guarantees.ObservedConsumer;
import dev.onceward.testsupport.guarantees.OffsetsNeverBack;
import dev.onceward.testsupport.guarantees.SourceRecords;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.NewTopic;
import org.jspecify.annotations.Nullable;

/** One run: servers, workers and load; faults by schedule; calm; the verdict. */
final class Chaos {
    private static final int PARTITIONS = 12;
    private static final int WORKERS = 3;
    /** A worker that can not go on safely ends itself: now and then, not again and again. */
    private static final int MOST_ENDED = 50;
    /** A shorter run cannot tell whether a worker holds more and more. */
    private static final Duration GROWTH_SHOWS_AFTER = Duration.ofMinutes(10);

    private static final Duration WARM = Duration.ofSeconds(90);
    private static final Duration DRAIN = Duration.ofMinutes(4);
    private static final String TABLES =
            "CREATE TABLE entries (id bigserial PRIMARY KEY, message_id text, account text,"
                    + " value text); CREATE TABLE accounts (account text PRIMARY KEY, entries bigint NOT NULL);"
                    + " INSERT INTO accounts SELECT 'account-' || n, 0 FROM generate_series(0, " + (Load.ACCOUNTS - 1)
                    + ") n";
    private static final String EFFECTS = "SELECT message_id FROM entries";
    private static final String ORDERED_EFFECTS = "SELECT message_id, id FROM entries";

    private final long seed;
    private final Duration length;
    private final int rate;
    private final Path logDirectory;
    private final Consumer<String> news;
    private final Map<FaultKind, Integer> struck = new ConcurrentHashMap<>();
    private final Map<Victim, Semaphore> victims = new EnumMap<>(Victim.class);
    private final AtomicReference<@Nullable String> aborted = new AtomicReference<>();

    /**
     * Describes a run.
     *
     * @param length of the part with faults
     * @param rate messages a second
     * @param logDirectory for the workers' logs
     * @param news for whoever watches
     */
    Chaos(long seed, Duration length, int rate, Path logDirectory, Consumer<String> news) {
        this.seed = seed;
        this.length = length;
        this.rate = rate;
        this.logDirectory = logDirectory;
        this.news = news;
        for (Victim victim : Victim.values()) {
            victims.put(victim, new Semaphore(victim.atOnce));
        }
    }

    Outcome run() throws InterruptedException, SQLException, ExecutionException {
        List<PlannedFault> schedule = Schedule.of(seed, length);
        try (Servers servers = Servers.start();
                WorkerLogs logs = new WorkerLogs(logDirectory)) {
            prepare(servers);
            ObservedConsumer observed = ObservedConsumer.named(
                    World.CONSUMER, servers.dataSource(), servers.kafka().bootstrapServers());
            NoWriteAfterFence fence = NoWriteAfterFence.watch(observed, "entries", "accounts");
            NothingLeaks leaks = NothingLeaks.since(observed);
            String protocol = seed % 2 == 0 ? "classic" : "consumer";
            try (Fleet fleet = new Fleet(
                    servers,
                    WORKERS,
                    start -> ChaosWorkerMain.start(
                            start,
                            servers.postgres(),
                            servers.kafka().bootstrapServers(),
                            protocol,
                            logs.of(start.id())))) {
                World world = new World(servers, fleet);
                torment(world, schedule);
                fleet.stopAll();
                List<Finding> findings = new ArrayList<>(check(observed, fence, leaks));
                if (length.compareTo(GROWTH_SHOWS_AFTER) >= 0) {
                    findings.add(logs.growth().finding());
                }
                findings.forEach(finding -> news.accept(finding.toString()));
                return outcome(world, logs, findings);
            }
        }
    }

    private static void prepare(Servers servers) throws SQLException, InterruptedException, ExecutionException {
        Migrations.apply(servers.dataSource(), "public");
        try (Connection connection = servers.dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(TABLES);
        }
        servers.admin()
                .createTopics(List.of(new NewTopic(World.TOPIC, Optional.of(PARTITIONS), Optional.empty())))
                .all()
                .get();
    }

    private void torment(World world, List<PlannedFault> schedule) throws InterruptedException {
        try (Lag lag = new Lag(world)) {
            Load load = new Load(seed, rate, world.servers().kafka().bootstrapServers(), lag::waiting);
            try {
                boolean steady = until(WARM, () -> {
                    watch(world, lag);
                    return lag.finished() > rate || aborted.get() != null;
                });
                if (steady && aborted.get() == null) {
                    news.accept("steady; " + schedule.size() + " faults in " + length.toSeconds() + " s");
                    inject(world, lag, schedule);
                } else {
                    abort("there is no steady state to begin with");
                }
            } finally {
                load.stop();
            }
            news.accept(load.sent() + " messages sent; calm, until all is done");
            boolean drained = until(DRAIN, () -> {
                watch(world, lag);
                return lag.waiting() == 0 || aborted.get() != null;
            });
            if (!drained) {
                abort(lag.waiting() + " messages still wait " + DRAIN.toMinutes() + " minutes after the last fault");
            }
        }
    }

    private void inject(World world, Lag lag, List<PlannedFault> schedule) throws InterruptedException {
        ExecutorService threads = Executors.newCachedThreadPool();
        try {
            long beginning = System.nanoTime();
            for (PlannedFault fault : schedule) {
                Semaphore victim = requireNonNull(victims.get(fault.kind().victim));
                while (aborted.get() == null
                        && (System.nanoTime() - beginning < fault.at().toNanos() || !victim.tryAcquire())) {
                    watch(world, lag);
                    Thread.sleep(100);
                }
                if (aborted.get() != null) {
                    return;
                }
                news.accept(Duration.ofNanos(System.nanoTime() - beginning).toSeconds() + " s: "
                        + fault.kind().text() + ", " + lag.waiting() + " wait");
                threads.execute(() -> strike(world, fault, victim));
            }
        } finally {
            threads.shutdown();
            if (!threads.awaitTermination(3, TimeUnit.MINUTES)) {
                abort("a fault did not end");
            }
        }
    }

    private void strike(World world, PlannedFault fault, Semaphore victim) {
        try {
            fault.kind().fault.strike(world, fault.random());
            struck.merge(fault.kind(), 1, Integer::sum);
        } catch (MissedException e) {
            news.accept(fault.kind().text() + " missed: " + e.getMessage());
        } catch (Exception e) {
            abort("the fault " + fault.kind().text() + " could not be done: " + e);
            e.printStackTrace();
        } finally {
            victim.release();
        }
    }

    private void watch(World world, Lag lag) {
        world.fleet().refill();
        int ended = world.fleet().endedByThemselves().size();
        if (ended > MOST_ENDED) {
            abort(ended + " workers ended by themselves: see their logs");
        } else if (lag.stalled()) {
            abort("nothing was finished for two minutes, and " + lag.waiting() + " wait");
        }
    }

    private void abort(String why) {
        if (aborted.compareAndSet(null, why)) {
            news.accept("aborted: " + why);
        }
    }

    private List<Finding> check(ObservedConsumer observed, NoWriteAfterFence fence, NothingLeaks leaks) {
        SourceRecords source = SourceRecords.withIdHeader(observed, List.of(World.TOPIC), "message-id");
        int crashes = struck.values().stream().mapToInt(Integer::intValue).sum();
        List<Guarantee> guarantees = List.of(
                EffectOnce.of(observed, EFFECTS).forEveryClaim(),
                new AccountsAddUp(observed.dataSource()),
                aborted.get() == null ? NothingLost.ofEverything(observed, source) : NothingLost.of(observed, source),
                KeyOrder.of(observed, source, ORDERED_EFFECTS),
                fence,
                DeadLetterOnce.of(observed).withUnnamedCopies((long) crashes * ChaosWorkerMain.COPIES_PER_CRASH),
                OffsetsNeverBack.of(observed),
                leaks);
        return guarantees.stream().map(Guarantee::check).toList();
    }

    private Outcome outcome(World world, WorkerLogs logs, List<Finding> findings) throws SQLException {
        return new Outcome(
                seed,
                messages(findings),
                Map.copyOf(struck),
                sum(world, "generation"),
                sum(world, "unclean_takeovers"),
                logs.count(EventNames.FENCED),
                logs.count(EventNames.UNKNOWN_COMMIT),
                world.fleet().endedByThemselves().size(),
                findings,
                aborted.get());
    }

    private static long messages(List<Finding> findings) {
        return findings.stream()
                .filter(finding -> finding.guarantee().equals("NothingLost"))
                .mapToLong(Finding::checked)
                .sum();
    }

    private static long sum(World world, String column) throws SQLException {
        try (Connection connection = world.servers().dataSource().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT coalesce(sum(" + column + "), 0) FROM partition_generations")) {
            row.next();
            return row.getLong(1);
        }
    }

    private static boolean until(Duration atMost, BooleanSupplier condition) throws InterruptedException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            Thread.sleep(200);
        }
        return true;
    }
}
