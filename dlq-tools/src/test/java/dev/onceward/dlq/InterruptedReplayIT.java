package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Replays that end in the middle, in a process of their own. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class InterruptedReplayIT {
    private static final int KILLS = 10;
    private static final int LETTERS = 1_000;
    private static final int ACCOUNTS = 5;

    private final Payments payments = new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void F38_killedBetweenAcknowledgementAndMarkItIsSentAgainAndTakesEffectOnce() throws SQLException {
        payments.deadLetters(20, 4);
        payments.stopWorkers();

        // Nobody can mark a row that somebody else has locked.
        try (Connection other = payments.dataSource.getConnection();
                Statement lock = other.createStatement()) {
            other.setAutoCommit(false);
            lock.execute("SELECT * FROM dead_letters FOR UPDATE");
            try (ProcessControl replay = command("replay", "--all", "--yes").start()) {
                Payments.await()
                        .until(() ->
                                payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                                                + " AND datname = current_database() AND wait_event_type = 'Lock'")
                                        == 1);
                assertThat(replay.isAlive()).isTrue();
                replay.kill9();
            }
            // The statement has arrived, and the server would finish it for a client that is dead.
            assertThat(payments.count("SELECT count(*) FROM (SELECT pg_terminate_backend(pid, 5000)"
                            + " FROM pg_stat_activity WHERE application_name = 'dlq'"
                            + " AND datname = current_database()) ended"))
                    .isPositive();
            other.rollback();
        }
        int before = payments.records(payments.replayTopic).size();
        assertThat(before).isPositive();

        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'"))
                .isEqualTo(20);
        assertThat(payments.texts("SELECT outcome FROM dlq_actions")).containsExactly("RUNNING");
        assertThat(payments.dlq("replay", "--all", "--yes").out()).contains("20 messages sent");
        payments.startWorker();
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'RESOLVED'") == 20);
        assertThat(payments.records(payments.replayTopic)).hasSize(before + 20);
        assertThat(payments.entries()).isEqualTo(20);
    }

    @Test
    void F38_killedAtAnyPointAndRunAgainEachEffectIsOnceAndInOrder() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        payments.deadLetters(LETTERS, ACCOUNTS);

        for (int kill = 0; kill < KILLS; kill++) {
            long sent = payments.records(payments.replayTopic).size();
            int more = 1 + random.nextInt(60);
            try (ProcessControl replay =
                    command("replay", "--all", "--yes", "--rate", "500/s").start()) {
                Payments.await()
                        .until(() -> payments.records(payments.replayTopic).size() >= sent + more);
                replay.kill9();
            }
        }
        Runs.Run rest = payments.dlq("replay", "--all", "--yes", "--wait");

        assertThat(rest.exitCode()).as("seed %d: %s", seed, rest.err()).isZero();
        Payments.await()
                .alias("seed " + seed)
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status <> 'RESOLVED'") == 0);
        assertThat(payments.entries()).as("seed %d", seed).isEqualTo(LETTERS);
        assertThat(payments.distinctEntries()).as("seed %d", seed).isEqualTo(LETTERS);
        for (int account = 0; account < ACCOUNTS; account++) {
            int first = account;
            assertThat(payments.entriesOf("account-" + account))
                    .as("seed %d", seed)
                    .containsExactlyElementsOf(IntStream.range(0, LETTERS / ACCOUNTS)
                            .mapToObj(i -> "m" + (first + ACCOUNTS * i))
                            .toList());
        }
    }

    @Test
    void endedByASignalItMarksWhatWasSentAndSaysSo() {
        payments.deadLetters(400, 20);
        payments.stopWorkers();

        try (ProcessControl replay =
                command("replay", "--all", "--yes", "--rate", "50/s").start()) {
            Payments.await().until(() -> payments.records(payments.replayTopic).size() >= 20);
            replay.terminate();

            assertThat(replay.awaitExit(Duration.ofSeconds(30))).isEqualTo(1);
        }
        long sent = payments.records(payments.replayTopic).size();
        assertThat(sent).isBetween(20L, 399L);
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'"))
                .isEqualTo(sent);
        assertThat(payments.texts("SELECT outcome || ' ' || done FROM dlq_actions"))
                .isEqualTo(List.of("INTERRUPTED " + sent));
    }

    private JavaProcess command(String... arguments) {
        JavaProcess process = ProcessControl.java(DlqMain.class)
                .named("dlq")
                .jvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")
                .arguments(arguments)
                .onErrors(line -> {})
                .onOutput(line -> {});
        payments.environment().forEach(process::environment);
        return process;
    }
}
