package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.dlq.output.Terminal;
import dev.onceward.handler.PermanentException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A thousand dead letters of three kinds, and an operator who finds out why, tries a few, replays most and discards the
 * rest. With {@code -Ddlq.print=true} it prints what the operator sees: the README shows it.
 */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
class OperatorsDayIT {
    private static final int MESSAGES = 1_000;
    private static final Terminal TERMINAL = new Terminal(true, true, false, 110, false);

    private final Payments payments = new Payments(2);

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void endsWithExactEffectsAndATrueIndex() throws IOException {
        payments.failWith(OperatorsDayIT::fault);
        for (int i = 0; i < MESSAGES; i++) {
            payments.send("account-" + i % 50, "payment-" + i, String.valueOf(i));
        }
        payments.flush();
        payments.startWorker();
        Payments.await()
                .until(() -> payments.count("SELECT count(*) FROM dead_letters WHERE status = 'DEAD'") == MESSAGES);

        assertThat(operator("", "stats").out())
                .contains("1,000 dead letters", "IllegalStateException", "ATTEMPTS_EXHAUSTED", "10%");
        assertThat(operator("", "list", "--limit", "5").out().lines()).hasSize(6);
        assertThat(operator("", "show", "payment-0", "--payload").exitCode()).isZero();

        // Two of the three causes are mended. The third kind of payments is refunded by hand.
        payments.failWith(id -> refunded(id) ? new PermanentException("currency XXX") : null);
        assertThat(operator(
                                "",
                                "discard",
                                "--exception",
                                "Permanent",
                                "--because",
                                "refunded by hand, see T-4711",
                                "--yes")
                        .out())
                .contains("100 dead letters discarded");
        assertThat(operator("", "replay", "--all", "--dry-run").err()).contains("900 messages would be sent");
        assertThat(operator("y\n", "replay", "--all", "--canary", "5", "--wait").exitCode())
                .isZero();

        assertThat(payments.entries()).isEqualTo(900);
        assertThat(payments.distinctEntries()).isEqualTo(900);
        assertThat(payments.count("SELECT count(*) FROM entries WHERE message_id ~ '7$'"))
                .isZero();
        assertThat(statuses()).containsExactlyInAnyOrder("RESOLVED 900", "DISCARDED 100");
        assertThat(payments.records(payments.topic)).hasSize(MESSAGES);
        assertThat(operator("", "list").err()).contains("No dead letters.");
    }

    private static @Nullable RuntimeException fault(String id) {
        if (refunded(id)) {
            return new PermanentException("currency XXX is not one that we know");
        }
        return id.endsWith("3")
                ? new IllegalArgumentException("amount is negative")
                : new IllegalStateException("tariff service answers 503");
    }

    private static boolean refunded(String id) {
        return id.endsWith("7");
    }

    private List<String> statuses() throws IOException {
        return new ObjectMapper()
                .readTree(payments.dlq("stats", "--by", "status", "--status", "all", "-o", "json")
                        .out())
                .valueStream()
                .map(group ->
                        group.get("value").asText() + " " + group.get("count").asText())
                .toList();
    }

    private Runs.Run operator(String input, String... arguments) {
        Runs.Run run = payments.dlq(TERMINAL, input, arguments);
        if (Boolean.getBoolean("dlq.print")) {
            String text = "$ dlq " + String.join(" ", arguments) + "\n" + run.out() + run.err();
            System.out.println(text.replace(payments.name, "billing").replace("payments.billing", "payments"));
        }
        return run;
    }
}
