package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * With no successful heartbeat for one lease no new transaction starts until one succeeds. Thread-safe.
 *
 * <p>Told and asked by two threads, which meet when a worker wakes up after having been frozen: the one finds the lease
 * over while the other has just renewed it. Both change state and gate under one lock; else the gate could be shut after
 * it was opened, for ever.
 */
final class LeaseGuard {
    private static final Logger LOG = LoggerFactory.getLogger(LeaseGuard.class);

    /** Until a heartbeat fails, none has ended: it waits for its answer. */
    private static final String NO_ANSWER = "the database has not answered";

    private final long durationNanos;
    private final Consumer<Boolean> shut;
    private final Machine machine;
    private final Machine.Monitor lock;
    private long lastSuccessNanos;
    private boolean succeeded;
    private volatile boolean expired;
    private String lastFailure = NO_ANSWER;

    /** @param shut told true when the lease is over, false when it is renewed; must not wait for a heartbeat */
    LeaseGuard(Duration duration, Consumer<Boolean> shut, Machine machine) {
        this.durationNanos = duration.toNanos();
        this.shut = shut;
        this.machine = machine;
        this.lock = machine.monitor();
        this.lastSuccessNanos = machine.nanoTime();
    }

    /** A heartbeat succeeded that was sent then: its answer may have been long on its way. */
    void succeeded(long sentNanos) {
        lock.locked(() -> {
            lastSuccessNanos = sentNanos;
            succeeded = true;
            lastFailure = NO_ANSWER;
            if (expired) {
                expired = false;
                shut.accept(false);
                LOG.atInfo()
                        .addKeyValue(EventNames.KEY, EventNames.LEASE_RENEWED)
                        .log("A heartbeat succeeded again");
            }
        });
    }

    /** A heartbeat failed with this: told where a lease goes by. */
    void failed(String error) {
        lock.locked(() -> lastFailure = error);
    }

    /** Finds out whether a lease went by without a success. */
    void check() {
        lock.locked(() -> {
            if (!expired && sinceSuccess() > durationNanos) {
                expired = true;
                shut.accept(true);
                LOG.atWarn()
                        .addKeyValue(EventNames.KEY, EventNames.LEASE_EXPIRED)
                        .addKeyValue("error", lastFailure)
                        .log("No heartbeat succeeded for one lease: no new transaction starts until one does");
            }
        });
    }

    /** Whether no transaction may start now. */
    boolean expired() {
        return expired;
    }

    /** What is wrong while no transaction may start. */
    Optional<String> trouble() {
        return lock.underLock(
                () -> expired ? Optional.of("no heartbeat succeeded for one lease: " + lastFailure) : Optional.empty());
    }

    /** Seconds since the last success; NaN before the first. */
    double ageSeconds() {
        return lock.underLock(() -> succeeded ? sinceSuccess() / 1e9 : Double.NaN);
    }

    private long sinceSuccess() {
        return machine.nanoTime() - lastSuccessNanos;
    }
}
