package dev.onceward.guarantees;

import static dev.onceward.guarantees.Ledger.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.runtime.ConsumerRuntimeBuilder;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** What the database says is understood by its codes, in whatever language it says it. */
class ServerLanguageIT {

    /** On every machine: a relay before the server turns each word of its errors into another. */
    @Test
    void F23_errorsInAnUnknownLanguageAreUnderstood() throws SQLException {
        try (Ledger ledger = new Ledger(1);
                UnknownLanguage relay = UnknownLanguage.before(ledger.postgres)) {
            String url = relay.jdbcUrl(ledger.databaseName);
            try (Connection connection =
                    DriverManager.getConnection(url, ledger.postgres.user(), ledger.postgres.password())) {
                SQLException error = catchThrowableOfType(
                        SQLException.class, () -> connection.createStatement().execute("SELECT 1/0"));
                assertThat(error.getMessage()).as("the relay works").contains("qvivfvba ol mreb");
                assertThat(error.getSQLState()).isEqualTo("22012");
            }
            everyKindOfErrorIsUnderstood(
                    ledger, consumer -> consumer.database(url, ledger.postgres.user(), ledger.postgres.password()));
        }
    }

    /** Where the server and its machine have another language. */
    @Test
    void F23_errorsInAnotherLanguageOfTheServerAreUnderstood() {
        try (Ledger ledger = new Ledger(1)) {
            String language = ledger
                    .texts("SELECT DISTINCT collcollate FROM pg_collation"
                            + " WHERE collcollate ~ '^(de|fr|es|it|ja|ru|sv|tr|pl)_.*(utf8|UTF-8)$'")
                    .stream()
                    .filter(locale -> speaks(ledger, locale))
                    .findFirst()
                    .orElse("");
            Assumptions.assumeFalse(language.isEmpty(), "the server knows no messages but the English ones");
            everyKindOfErrorIsUnderstood(ledger, consumer -> {});
        }
    }

    private static boolean speaks(Ledger ledger, String locale) {
        ledger.execute("ALTER DATABASE " + ledger.databaseName + " SET lc_messages = '" + locale + "'");
        IllegalStateException error =
                catchThrowableOfType(IllegalStateException.class, () -> ledger.execute("SELECT 1/0"));
        return !String.valueOf(error.getMessage()).contains("division by zero");
    }

    private static void everyKindOfErrorIsUnderstood(Ledger ledger, Consumer<ConsumerRuntimeBuilder> way) {
        AtomicInteger conflicts = new AtomicInteger();
        AtomicInteger lost = new AtomicInteger();
        ledger.execute("CREATE TABLE known (id text PRIMARY KEY); INSERT INTO known VALUES ('taken')");
        for (String id : new String[] {"plain", "plain", "not-a-number", "taken", "conflict", "swallows", "lost"}) {
            ledger.send("key-of-" + id, id, "10");
        }
        ledger.flush();
        ConsumerRuntimeBuilder consumer = ledger.consumer();
        way.accept(consumer);
        ledger.start(consumer, (message, effect) -> {
            switch (message.id()) {
                case "not-a-number" -> effect.handle().execute("SELECT 'x'::int");
                case "taken" -> effect.handle().execute("INSERT INTO known VALUES ('taken')");
                case "swallows" -> {
                    try {
                        effect.connection().createStatement().execute("SELECT 1/0");
                    } catch (SQLException e) {
                        // COMMIT would now be a ROLLBACK
                    }
                }
                case "conflict" -> {
                    if (conflicts.incrementAndGet() < 8) {
                        effect.handle()
                                .execute("DO $$ BEGIN RAISE EXCEPTION 'conflict' USING ERRCODE = '40001'; END $$");
                    }
                }
                case "lost" -> {
                    if (lost.incrementAndGet() == 1) {
                        effect.handle().execute("SELECT pg_terminate_backend(pg_backend_pid())");
                    }
                }
                default -> {
                    // nothing is wrong with it
                }
            }
            Ledger.HANDLER.handle(message, effect);
        });

        await().untilAsserted(() -> assertThat(ledger.committed()).isEqualTo(7));
        assertThat(ledger.texts("SELECT message_id FROM entries ORDER BY 1"))
                .containsExactly("conflict", "lost", "plain");
        assertThat(ledger.texts(
                        "SELECT message_id || ' ' || reason || ' ' || attempts FROM dead_letters ORDER BY message_id"))
                .containsExactly("not-a-number PERMANENT 1", "swallows PERMANENT 1", "taken ATTEMPTS_EXHAUSTED 5");
    }
}
