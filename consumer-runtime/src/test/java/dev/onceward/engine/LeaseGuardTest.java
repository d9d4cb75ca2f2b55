package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LeaseGuardTest {

    private static final Duration LEASE = Duration.ofSeconds(10);

    private final AtomicLong now = new AtomicLong(5);
    private final List<Boolean> gate = new ArrayList<>();
    private final LeaseGuard guard = new LeaseGuard(LEASE, gate::add, new HandClock(now::get));

    @Test
    void shutsOnceWhenALeaseWentByAndOpensAtTheNextSuccess() {
        now.addAndGet(LEASE.toNanos());
        guard.check();
        assertThat(gate).isEmpty();

        now.addAndGet(1);
        guard.check();
        guard.check();
        assertThat(gate).containsExactly(true);
        assertThat(guard.expired()).isTrue();

        guard.succeeded(now.get());
        guard.succeeded(now.get());
        assertThat(gate).containsExactly(true, false);
        assertThat(guard.expired()).isFalse();
    }

    @Test
    void whatTheLastHeartbeatFailedWithIsToldWhileTheLeaseIsOver() {
        try (LogLines log = LogLines.of(LeaseGuard.class)) {
            guard.failed("the first error");
            guard.failed("the database is in flames");
            assertThat(guard.trouble()).isEmpty();

            now.addAndGet(LEASE.toNanos() + 1);
            guard.check();
            assertThat(log.lines())
                    .containsExactly(
                            "WARN {event=lease_expired, error=the database is in flames} No heartbeat succeeded"
                                    + " for one lease: no new transaction starts until one does");
            assertThat(guard.trouble()).contains("no heartbeat succeeded for one lease: the database is in flames");
            guard.failed("another one");
            assertThat(guard.trouble()).contains("no heartbeat succeeded for one lease: another one");

            guard.succeeded(now.get());
            assertThat(guard.trouble()).isEmpty();
            now.addAndGet(LEASE.toNanos() + 1);
            guard.check();
            assertThat(guard.trouble()).contains("no heartbeat succeeded for one lease: the database has not answered");
        }
    }

    @Test
    void successCountsFromWhenItWasSent() {
        long sent = now.get();
        now.addAndGet(LEASE.toNanos() + 1);
        guard.succeeded(sent);
        guard.check();
        assertThat(gate).containsExactly(true);
    }

    @Test
    void ageIsUnknownBeforeTheFirstSuccess() {
        assertThat(guard.ageSeconds()).isNaN();
        guard.succeeded(now.get());
        now.addAndGet(Duration.ofSeconds(3).toNanos());
        assertThat(guard.ageSeconds()).isEqualTo(3.0);
    }

    /** A worker that was frozen wakes up: one thread finds the lease over while another one renews it. */
    @Test
    void successThatComesWhileTheGateIsBeingShutOpensItAgain() throws Exception {
        List<Thread> heartbeats = new ArrayList<>();
        LeaseGuard[] racing = new LeaseGuard[1];
        racing[0] = new LeaseGuard(
                LEASE,
                shut -> {
                    if (shut) {
                        Thread heartbeat = new Thread(() -> racing[0].succeeded(now.get()));
                        heartbeat.start();
                        heartbeats.add(heartbeat);
                        // Either it has to wait, or it is through already.
                        await().until(() -> heartbeat.getState() == Thread.State.WAITING
                                || heartbeat.getState() == Thread.State.TERMINATED);
                    }
                    gate.add(shut);
                },
                new HandClock(now::get));
        now.addAndGet(LEASE.toNanos() + 1);

        racing[0].check();

        heartbeats.get(0).join(10_000);
        assertThat(racing[0].expired()).isFalse();
        assertThat(gate).containsExactly(true, false);
    }
}
