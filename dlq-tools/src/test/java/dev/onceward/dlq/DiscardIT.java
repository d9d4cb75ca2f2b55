package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** {@code dlq discard} and {@code dlq restore} over several pages. */
@Timeout(value = 2, unit = TimeUnit.MINUTES)
class DiscardIT {
    private static final int LETTERS = 3_000;
    /** So many are marked at once. */
    private static final int PAGE = 500;

    private final Payments payments = new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void allOfManyAndTheTrailTellsHowMany() {
        manyLetters();

        Runs.Run discarded = payments.dlq("discard", "--all", "--yes", "--because", "refunded by hand");

        assertThat(discarded.exitCode()).as(discarded.err()).isZero();
        assertThat(discarded.out()).contains("3,000 dead letters discarded").doesNotContain("in the meantime");
        assertThat(statuses()).containsExactly("DISCARDED 3000");
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE discarded_at IS NOT NULL"
                        + " AND discarded_by <> '' AND discard_reason = 'refunded by hand'"))
                .isEqualTo(LETTERS);

        Runs.Run restored = payments.dlq("restore", "--all", "--yes");

        assertThat(restored.exitCode()).as(restored.err()).isZero();
        assertThat(restored.out()).contains("3,000 dead letters restored");
        assertThat(statuses()).containsExactly("DEAD 3000");
        assertThat(actions()).containsExactly("discard DONE 3000 3000 0", "restore DONE 3000 3000 0");
    }

    @Test
    void everyRowOfAMessageButEachMessageCountsOnce() {
        manyLetters();
        payments.execute(copies("d.record_offset + 100000", "d.origin_offset", "WHERE d.record_offset <= 10"));
        assertThat(payments.count("SELECT count(*) FROM dead_letters")).isEqualTo(LETTERS + 10);

        Runs.Run discarded = payments.dlq("discard", "--all", "--yes", "--because", "refunded by hand");

        assertThat(discarded.exitCode()).as(discarded.err()).isZero();
        assertThat(discarded.out()).contains("3,000 dead letters discarded");
        assertThat(statuses()).containsExactly("DISCARDED 3010");
    }

    @Test
    void whatAWorkerResolvesMeanwhileIsLeftAloneAndCounted() throws Exception {
        manyLetters();
        Background discard;
        try (Connection worker = payments.dataSource.getConnection();
                Statement statement = worker.createStatement()) {
            worker.setAutoCommit(false);
            statement.executeUpdate("UPDATE dead_letters SET status = 'RESOLVED', resolved_at = clock_timestamp()"
                    + " WHERE origin_offset % 1000 = 7");
            discard = new Background(
                    payments.environment(), "discard", "--all", "--yes", "--because", "refunded by hand");
            // It has read them as dead, and waits for the worker's transaction.
            Payments.await().until(() -> waiting() == 1);
            worker.commit();
        }

        assertThat(discard.exitCode()).as(discard.err()).isEqualTo(1);
        // Only those of the first page had been read by then; it meets the others as what they are.
        assertThat(discard.out()).contains("2,997 dead letters discarded, 1 had changed in the meantime");
        assertThat(statuses()).containsExactly("DISCARDED 2997", "RESOLVED 3");
        assertThat(actions()).containsExactly("discard PARTLY 3000 2997 1");
    }

    @Test
    void endedByASignalItFinishesItsPageAndTheTrailSaysSo() throws SQLException {
        manyLetters();
        Deque<Connection> pages = new ArrayDeque<>();
        try {
            for (int page = 0; page < LETTERS / PAGE; page++) {
                pages.add(locked(page * PAGE + 1));
            }
            try (ProcessControl discard = discard()) {
                Payments.await().until(() -> waiting() == 1);
                discard.terminate();
                // A signal takes its time. Page by page, until it has arrived.
                while (discard.isAlive() && !pages.isEmpty()) {
                    pages.remove().close();
                    long left = pages.size();
                    Payments.await()
                            .until(() ->
                                    !discard.isAlive() || (waiting() == 1 && discarded() == LETTERS - left * PAGE));
                }
                assertThat(discard.awaitExit(Duration.ofSeconds(30))).isEqualTo(1);
            }
        } finally {
            for (Connection page : pages) {
                page.close();
            }
        }

        assertThat(discarded()).isPositive().isLessThan(LETTERS);
        assertThat(discarded() % PAGE).isZero();
        assertThat(actions()).containsExactly("discard INTERRUPTED 3000 " + discarded() + " 0");
    }

    private ProcessControl discard() {
        JavaProcess process = ProcessControl.java(DlqMain.class)
                .named("dlq")
                .arguments("discard", "--all", "--yes", "--because", "refunded by hand")
                .onErrors(line -> {})
                .onOutput(line -> {});
        payments.environment().forEach(process::environment);
        return process.start();
    }

    private Connection locked(int offset) throws SQLException {
        Connection connection = payments.dataSource.getConnection();
        connection.setAutoCommit(false);
        try (Statement lock = connection.createStatement()) {
            lock.execute("SELECT 1 FROM dead_letters WHERE origin_offset = " + offset + " FOR UPDATE");
        }
        return connection;
    }

    private long waiting() {
        return payments.count("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'dlq'"
                + " AND datname = current_database() AND wait_event_type = 'Lock'");
    }

    private long discarded() {
        return payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DISCARDED'");
    }

    /** Copies of one that is real, of which only rows are needed. */
    private void manyLetters() {
        payments.deadLetters(1, 1);
        payments.stopWorkers();
        payments.execute(copies("1000 + n", "1000 + n", "CROSS JOIN generate_series(1, 3000) AS n"));
        payments.execute("DELETE FROM dead_letters WHERE record_offset < 1000");
        payments.execute("UPDATE dead_letters SET record_offset = record_offset - 1000,"
                + " origin_offset = origin_offset - 1000, message_id = 'm' || record_offset");
    }

    private String copies(String offset, String originOffset, String rows) {
        List<String> columns = payments.texts("SELECT column_name FROM information_schema.columns"
                + " WHERE table_schema = 'public' AND table_name = 'dead_letters' ORDER BY ordinal_position");
        String values = String.join(
                ", ",
                columns.stream()
                        .map(column -> switch (column) {
                            case "record_offset" -> offset;
                            case "origin_offset" -> originOffset;
                            default -> "d." + column;
                        })
                        .toList());
        return "INSERT INTO dead_letters (" + String.join(", ", columns) + ") SELECT " + values
                + " FROM dead_letters d " + rows;
    }

    private List<String> statuses() {
        return payments.texts("SELECT status || ' ' || count(*) FROM dead_letters GROUP BY status ORDER BY 1");
    }

    private List<String> actions() {
        return payments.texts("SELECT command || ' ' || outcome || ' ' || selected || ' ' || done || ' ' || failed"
                + " FROM dlq_actions ORDER BY action_id");
    }
}
