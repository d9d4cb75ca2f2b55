package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.handler.MessageHandler;
import dev.onceward.postgres.Tables;
import dev.onceward.testsupport.guarantees.Guarantee;
import dev.onceward.testsupport.guarantees.NoWriteAfterFence;
import dev.onceward.testsupport.guarantees.ObservedConsumer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Another worker takes the partition over at the worst moment: what was written before is told from what came too late. */
class FenceIT {
    private final Ledger ledger = new Ledger(1);
    private final NoWriteAfterFence fence = NoWriteAfterFence.watch(
            ObservedConsumer.named(ledger.name, ledger.dataSource, ledger.bootstrap), "entries");
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);

    @AfterEach
    void end() {
        goOn.countDown();
        ledger.close();
    }

    /** Or it would read what is stored before the last effect of the old owner is, and the two would overlap. */
    @Test
    void aTakeoverWaitsForTheTransactionThatRuns() throws Exception {
        ledger.start((message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            stay();
        });
        send("m1");
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        try (Takeover takeover = new Takeover()) {
            CompletableFuture<Long> before = CompletableFuture.supplyAsync(() -> {
                takeover.lock();
                return takeover.finish();
            });
            await().until(() -> waiting("ExclusiveLock") == 1 || before.isDone());
            goOn.countDown();
            long claims = before.get(30, TimeUnit.SECONDS);
            allTookEffectOnce(1);
            assertThat(claimsOfTheFirst()).as("none came behind the takeover").isEqualTo(claims);
        }
    }

    /** The statement that waited for the lock has a snapshot from before the takeover. */
    @Test
    void aTransactionThatWaitedForATakeoverIsRefused() throws Exception {
        ledger.start(Ledger.HANDLER);
        send("m1");
        allTookEffectOnce(1);
        try (Takeover takeover = new Takeover()) {
            takeover.lock();
            send("m2");
            await().until(() -> waiting("ShareLock") == 1);
            long claims = takeover.finish();
            allTookEffectOnce(2);
            assertThat(claimsOfTheFirst()).as("none came behind the takeover").isEqualTo(claims);
        }
    }

    @Test
    void anAttemptOfAStaleWorkerIsNotCounted() throws Exception {
        MessageHandler<String, String> failsOnce = (message, effect) -> {
            effect.update(
                    "INSERT INTO entries (message_id, account, amount) VALUES (?, ?, ?)",
                    message.id(),
                    message.key(),
                    String.valueOf(message.attempt()));
            if (inside.getCount() > 0) {
                stay();
                throw new IllegalStateException("not yet");
            }
        };
        ledger.start(failsOnce);
        send("m1");
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        try (Takeover takeover = new Takeover()) {
            CompletableFuture<Void> locked = CompletableFuture.runAsync(takeover::lock);
            await().until(() -> waiting("ExclusiveLock") == 1);
            goOn.countDown();
            locked.get(30, TimeUnit.SECONDS);
            await().until(() -> waiting("ShareLock") == 1); // the attempt is to be written
            takeover.finish();
            allTookEffectOnce(1);
            Guarantee.assertHeld(fence);
            assertThat(ledger.texts("SELECT amount FROM entries"))
                    .as("attempt that took effect")
                    .containsExactly("1");
        }
    }

    private void stay() throws InterruptedException {
        inside.countDown();
        assertThat(goOn.await(30, TimeUnit.SECONDS)).isTrue();
    }

    private void send(String id) {
        ledger.send("account", id, "10");
        ledger.flush();
    }

    private void allTookEffectOnce(long messages) {
        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(messages));
        assertThat(ledger.entries()).isEqualTo(messages);
        assertThat(ledger.distinctEntries()).isEqualTo(messages);
    }

    private long claimsOfTheFirst() {
        return ledger.count("SELECT count(*) FROM processed_messages WHERE generation = 1");
    }

    private long waiting(String mode) {
        return ledger.count(
                "SELECT count(*) FROM pg_locks l JOIN pg_database d ON d.oid = l.database"
                        + " WHERE d.datname = current_database() AND locktype = 'advisory' AND objsubid = 2"
                        + " AND mode = ? AND NOT granted",
                mode);
    }

    /** By a worker that Kafka does not know of: step by step. */
    private final class Takeover implements AutoCloseable {
        private final Connection connection;

        Takeover() throws SQLException {
            connection = ledger.dataSource.getConnection();
            connection.setAutoCommit(false);
        }

        void lock() {
            query("SELECT pg_advisory_xact_lock(" + new Tables("public").lockClass()
                    + ", fence_key)::text FROM partition_generations WHERE topic = '" + ledger.topic + "'");
        }

        /** @return how many claims the first owner had written until then */
        long finish() {
            query("UPDATE partition_generations SET generation = generation + 1, worker_id = 'other',"
                    + " acquired_at = clock_timestamp(), released_at = NULL WHERE topic = '" + ledger.topic
                    + "' RETURNING generation");
            long claims = Long.parseLong(query("SELECT count(*)::text FROM processed_messages WHERE generation = 1"));
            try {
                connection.commit();
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
            return claims;
        }

        private String query(String sql) {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(sql)) {
                row.next();
                return row.getString(1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void close() throws SQLException {
            connection.close();
        }
    }
}
