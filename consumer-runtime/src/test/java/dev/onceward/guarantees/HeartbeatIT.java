package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames;
import dev.onceward.handler.RetryAfterException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bounded: a heartbeat that fails ends on the server's side as well. */
class HeartbeatIT {
    private final Scrape scrape = new Scrape();
    private final Ledger ledger = new Ledger(1);

    @AfterEach
    void close() {
        ledger.close();
    }

    /** A VACUUM FULL, say: minutes, in which each heartbeat fails. */
    @Test
    void heartbeatsBehindALockedTableLeaveNoSessionBehind() throws SQLException {
        ledger.start(ledger.consumer().meterRegistry(scrape.registry()), Ledger.HANDLER);
        send("m1");
        Ledger.await().until(() -> ledger.committed() == 1);
        try (Connection connection = ledger.dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("LOCK TABLE consumer_workers IN ACCESS EXCLUSIVE MODE");
            // Several were sent and have failed by then; the lease is two seconds.
            Ledger.await().until(() -> scrape.sum(MeterNames.HEARTBEAT_AGE) > 7);
            assertThat(ledger.count("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
                            + " AND wait_event_type = 'Lock'"))
                    .isLessThanOrEqualTo(1);
            connection.rollback();
        }
        send("m2");
        Ledger.await().until(() -> ledger.committed() == 2);
        assertThat(ledger.entries()).isEqualTo(2);
    }

    /** Where Kafka has lost the offset, a worker begins there. */
    @Test
    void itStoresNoWatermarkBeyondAMessageThatIsNotFinished() {
        ledger.start((message, effect) -> {
            Ledger.HANDLER.handle(message, effect);
            if (message.id().equals("held")) {
                throw new RetryAfterException(Duration.ofHours(1), "later");
            }
        });
        ledger.send("held", "held", "1");
        for (int i = 0; i < 10; i++) {
            ledger.send("a", "m" + i, "1");
        }
        ledger.flush();
        Ledger.await().until(() -> ledger.entries() == 10);
        String now = ledger.texts("SELECT clock_timestamp()::text").get(0);
        // The second heartbeat from now began when all of them were finished.
        Ledger.await()
                .until(() -> ledger.count(
                                "SELECT count(*) FROM consumer_workers WHERE heartbeat_at"
                                        + " > ?::timestamptz + interval '500 milliseconds'",
                                now)
                        == 1);
        assertThat(ledger.count(
                        "SELECT coalesce(watermark, 0) FROM partition_generations WHERE topic = ?", ledger.topic))
                .as("of eleven messages the first is not finished")
                .isZero();
    }

    private void send(String id) {
        ledger.send("a", id, "1");
        ledger.flush();
    }
}
