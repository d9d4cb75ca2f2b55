package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.KafkaClientProperties;
import dev.onceward.deadletter.ErrorText;
import dev.onceward.effect.HandlerEffect;
import dev.onceward.failure.Backoff;
import dev.onceward.handler.FailureClassifier;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.StartChecks;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A worker as the runtime holds it: starts it once database and cluster are there and as they must be, and stops it. */
public final class WorkerHandle {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerHandle.class);

    private final EngineParts parts;
    private final DataSource dataSource;
    private final StartRefusals refusals;
    private final Lifecycle lifecycle = new Lifecycle();
    private volatile @Nullable Engine engine;

    public WorkerHandle(
            ConsumerSettings settings,
            Map<String, Route> routes,
            @Nullable FailureClassifier classifier,
            MeterRegistry registry,
            DataSource dataSource,
            Clock clock,
            String workerId,
            String host,
            String version) {
        this.dataSource = dataSource;
        this.refusals = new StartRefusals(settings);
        this.parts = new EngineParts(
                settings,
                Map.copyOf(routes),
                classifier,
                new RuntimeMeters(registry, settings.consumer()),
                lifecycle,
                HandlerEffect.newJdbi(),
                clock,
                new ThreadRandom(),
                workerId,
                host,
                version);
    }

    /**
     * Checks and starts. A database or cluster that is not there is waited for; what is wrong with the settings, the
     * schema or the topics is thrown.
     */
    public void start() throws InterruptedException {
        if (!lifecycle.to(WorkerState.STARTING)) {
            throw new IllegalStateException("a runtime starts once; it is " + lifecycle.state());
        }
        Admin admin = null;
        try {
            int version = waitFor(
                    "the database", refusals.databaseSettings(), new StartChecks(dataSource, parts.settings())::run);
            Admin client = Admin.create(new KafkaClientProperties(parts.settings(), parts.workerId()).admin());
            admin = client;
            waitFor("the cluster", refusals.clusterSettings(), () -> {
                Engine.provision(client, parts.settings(), parts.routes());
                return true;
            });
            Engine made = new Engine(parts, Outside.real(parts, dataSource, version, client));
            engine = made;
            made.start();
        } catch (RuntimeException | InterruptedException e) {
            lifecycle.fail("it could not start", e);
            parts.meters().close();
            if (admin != null) {
                admin.close(Duration.ZERO);
            }
            throw e;
        }
    }

    private <T> T waitFor(String what, String where, Check<T> check) throws InterruptedException {
        Backoff backoff = new Backoff(parts.settings().retry(), parts.random());
        for (int failures = 1; lifecycle.is(WorkerState.STARTING); failures++) {
            try {
                return check.run();
            } catch (SQLException e) {
                throwIfAny(refusals.of(e));
                waitAfter(e, what, where, backoff.next(failures));
            } catch (KafkaException e) {
                throwIfAny(refusals.of(e));
                waitAfter(e, what, where, backoff.next(failures));
            }
        }
        throw new IllegalStateException("the runtime was closed while it started");
    }

    private static void throwIfAny(Optional<String> mistake) {
        mistake.ifPresent(what -> {
            throw new ConfigurationException(List.of(what));
        });
    }

    private static void waitAfter(Exception e, String what, String where, Duration delay) throws InterruptedException {
        ErrorText error = ErrorText.of(e); // the pool's own words say only that there is no connection
        LOG.atWarn()
                .addKeyValue(EventNames.KEY, EventNames.START_WAITS)
                .addKeyValue("error", error.errorClass() + ": " + error.message())
                .addKeyValue("settings", where)
                .log("{} is not there yet; tried again until it is", what);
        Thread.sleep(delay.plusMillis(50).toMillis());
    }

    /** Stops within the limit; does nothing the second time. */
    public void stop(Duration limit) {
        Engine running = engine;
        if (running == null) {
            lifecycle.to(WorkerState.STOPPING);
            lifecycle.to(WorkerState.STOPPED);
            parts.meters().close();
            return;
        }
        engine = null;
        running.stop(limit);
        parts.routes()
                .values()
                .forEach(route ->
                        Stopping.quietly("closing the deserialisers of " + route.topic(), route.decoder()::close));
    }

    /** Whether a new process would not help: it has not ended, and its poll loop goes round. */
    public boolean live() {
        Engine running = engine;
        return switch (lifecycle.state()) {
            case FAILED, STOPPED -> false;
            case RUNNING -> running == null || running.polls();
            case NEW, STARTING, STOPPING -> true;
        };
    }

    public WorkerState state() {
        return lifecycle.state();
    }

    public void pause(boolean wanted) {
        Engine running = engine;
        if (running != null) {
            running.pause(wanted);
        }
    }

    /** What keeps it from being ready; empty if nothing does. */
    public List<String> troubles() {
        Engine running = engine;
        return running == null || !lifecycle.is(WorkerState.RUNNING)
                ? List.of("the worker is " + lifecycle.state()
                        + lifecycle.failure().map(why -> ": " + why).orElse(""))
                : running.troubles();
    }

    /** Waits for its end; false if it still runs. */
    public boolean awaitEnd(Duration patience) throws InterruptedException {
        return lifecycle.awaitEnd(patience.toNanos());
    }

    private interface Check<T> {
        T run() throws SQLException;
    }

    /** The calling thread's own generator: lanes never wait for each other's dice. */
    private static final class ThreadRandom implements RandomGenerator {
        @Override
        public long nextLong() {
            return ThreadLocalRandom.current().nextLong();
        }
    }
}
