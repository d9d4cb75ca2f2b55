package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.onceward.testsupport.ProcessControl;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Small runs of the demo as a whole, in a process of its own as {@code ./demo} starts it. */
class DemoIT {

    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final List<String> lines = Collections.synchronizedList(new ArrayList<>());

    @Test
    void everythingHoldsUnderAKill() throws Exception {
        assertThat(run("--messages", "2000", "--kills", "1", "--pauses", "0", "--db-restarts", "0", "--seed", "1"))
                .describedAs("%s", lines)
                .isEqualTo(DemoMain.HELD);

        JsonNode result = result();
        assertThat(result.path("produced").asLong()).isEqualTo(2_100);
        assertThat(result.path("unique_good").asLong()).isEqualTo(1_970);
        assertThat(result.path("effects").asLong()).isEqualTo(1_970);
        assertThat(Stream.of("lost", "doubled", "out_of_order")
                        .map(name -> result.path(name).asLong(-1)))
                .containsOnly(0L);
        assertThat(result.path("dead_letters").asLong())
                .isGreaterThan(30)
                .isEqualTo(result.path("bad").asLong());
        assertThat(result.path("faults_under_load").asLong()).isEqualTo(1);
        assertThat(result.path("takeovers").asLong()).isPositive();
    }

    /** Scripts read them: a name that goes or changes breaks those, and a new one is added here. */
    @Test
    void everythingHoldsUnderAPauseAndARestartOfTheDatabaseAndTheResultHasTheNamesThatScriptsRead() throws Exception {
        assertThat(run("--messages", "2000", "--kills", "0", "--pauses", "1", "--db-restarts", "1", "--seed", "2"))
                .describedAs("%s", lines)
                .isEqualTo(DemoMain.HELD);

        JsonNode result = result();
        assertThat(result.properties().stream().map(Map.Entry::getKey))
                .containsExactlyInAnyOrder(
                        "ok",
                        "seed",
                        "claims",
                        "messages",
                        "workers",
                        "produced",
                        "unique_good",
                        "effects",
                        "lost",
                        "doubled",
                        "out_of_order",
                        "foreign_effects",
                        "accounts_off",
                        "bad",
                        "dead_letters",
                        "dead_letters_wrong",
                        "dead_letter_duplicates",
                        "kills",
                        "pauses",
                        "db_restarts",
                        "faults_under_load",
                        "takeovers",
                        "frozen_transactions",
                        "fenced",
                        "workers_ended_by_themselves",
                        "redelivered",
                        "unknown_commits",
                        "seconds");
        assertThat(result.path("effects").asLong())
                .isEqualTo(result.path("unique_good").asLong());
        assertThat(result.path("kills").asLong(-1)).isZero();
        assertThat(result.path("pauses").asLong()).isEqualTo(1);
        assertThat(result.path("db_restarts").asLong()).isEqualTo(1);
        assertThat(result.path("faults_under_load").asLong()).isEqualTo(2);
        assertThat(result.path("seconds").asDouble()).isPositive();
    }

    /** If this run held, the verdict would be blind. */
    @Test
    void withoutClaimsEffectsAreDoubled() throws Exception {
        assertThat(run("--messages", "1000", "--kills", "0", "--pauses", "0", "--db-restarts", "0", "--without-claims"))
                .describedAs("%s", lines)
                .isEqualTo(DemoMain.BROKEN);

        assertThat(result().path("doubled").asLong()).isPositive();
        assertThat(result().path("lost").asLong()).isZero();
    }

    private int run(String... options) {
        String[] all = Arrays.copyOf(options, options.length + 1);
        all[options.length] = "--json";
        try (ProcessControl demo = ProcessControl.java(DemoMain.class)
                .jvmOptions("-Xmx512m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
                .arguments(all)
                .onOutput(lines::add)
                .onErrors(lines::add)
                .start()) {
            return demo.awaitExit(PATIENCE);
        }
    }

    private JsonNode result() throws Exception {
        return new ObjectMapper().readTree(lines.get(lines.size() - 1));
    }
}
