package dev.onceward.guarantees;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PgBouncer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.postgresql.ds.PGSimpleDataSource;

/** What only shows behind a pooler of transactions; the other tests of guarantees run there, too. */
@EnabledIfSystemProperty(
        named = PgBouncer.PROPERTY,
        matches = "pgbouncer",
        disabledReason = "needs PgBouncer: -D" + PgBouncer.PROPERTY + "=pgbouncer")
class BehindPgBouncerIT {
    private static final int MESSAGES = 300;

    /** That the others prove something: one connection of the driver has several sessions in turn. */
    @Test
    void sessionsChangeBetweenTransactions() throws SQLException {
        try (Ledger ledger = new Ledger(1)) {
            try (Connection one = connect(ledger);
                    Connection other = connect(ledger)) {
                int before = session(one);
                one.rollback();
                // Takes the only session that is free, so that there must be another for the first one.
                assertThat(session(other)).isEqualTo(before);
                assertThat(session(one)).isNotEqualTo(before);
            }
        }
    }

    @Test
    void aDriverThatPreparesStatementsIsWarnedOf() {
        try (Ledger ledger = new Ledger(1);
                EventLog events = EventLog.of("main")) {
            ledger.start(ledger.consumer(), Ledger.HANDLER).close();
            assertThat(events.count(EventNames.POOLER_FOUND)).isZero();

            String url = ledger.postgres.jdbcUrl(ledger.databaseName).replace("prepareThreshold=0", "");
            ledger.start(
                            ledger.consumer().database(url, ledger.postgres.user(), ledger.postgres.password()),
                            Ledger.HANDLER)
                    .close();
            assertThat(events.count(EventNames.POOLER_FOUND)).isEqualTo(1);
        }
    }

    /** Lanes, heartbeat, takeovers and the probe of two workers share two sessions. */
    @Test
    void fewerSessionsThanLanesAreEnough() {
        try (PgBouncer narrow = PgBouncer.before(Backends.shared().postgres(), 2);
                Ledger ledger = new Ledger(4)) {
            for (int worker = 0; worker < 2; worker++) {
                ledger.start(
                        ledger.consumer()
                                .database(narrow.jdbcUrl(ledger.databaseName), narrow.user(), narrow.password()),
                        Ledger.HANDLER);
            }
            for (int i = 0; i < MESSAGES; i++) {
                ledger.send("account-" + i % 20, "m" + i, "1");
            }
            ledger.flush();
            Ledger.await().untilAsserted(() -> assertThat(ledger.entries()).isEqualTo(MESSAGES));
            assertThat(ledger.count("SELECT count(DISTINCT message_id) FROM entries"))
                    .isEqualTo(MESSAGES);
            assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        }
    }

    private static Connection connect(Ledger ledger) throws SQLException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setURL(ledger.postgres.jdbcUrl(ledger.databaseName));
        source.setUser(ledger.postgres.user());
        source.setPassword(ledger.postgres.password());
        Connection connection = source.getConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private static int session(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT pg_backend_pid()")) {
            row.next();
            return row.getInt(1);
        }
    }
}
