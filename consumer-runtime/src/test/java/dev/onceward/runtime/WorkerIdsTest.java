package dev.onceward.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.config.ConfigurationException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerIdsTest {

    @ParameterizedTest
    @ValueSource(strings = {"a", "billing-3.eu", "Zürich 1", "日本"})
    void ordinaryNamesAreFine(String id) {
        assertThat(WorkerIds.problem(id)).isEmpty();
    }

    @Test
    void theLengthIsCountedInCharactersAsTheDatabaseCounts() {
        assertThat(WorkerIds.problem("w".repeat(100))).isEmpty();
        assertThat(WorkerIds.problem("\uD83D\uDE00".repeat(100))).isEmpty();
        assertThat(WorkerIds.problem("w".repeat(101)))
                .contains("worker-id: has 101 characters; give workerId(...) 1 to 100 characters without control"
                        + " characters, or leave it out for a random one");
    }

    static Stream<String> unusable() {
        return Stream.of("", " ", "\t", "a\nb", "a\u0000b", "a\u0085b", "\uD83D", "w".repeat(101));
    }

    /** Not by the database, at the first heartbeat, again and again. */
    @ParameterizedTest
    @MethodSource("unusable")
    void othersAreRefusedAtStartTogetherWithWhateverElseIsWrong(String id) {
        ConfigurationException refusal = catchThrowableOfType(
                ConfigurationException.class,
                () -> ConsumerRuntime.named("billing").workerId(id).start());
        assertThat(refusal.problems())
                .anySatisfy(problem -> assertThat(problem).startsWith("worker-id: "))
                .anySatisfy(problem -> assertThat(problem).startsWith("handlers: "))
                .anySatisfy(problem -> assertThat(problem).startsWith("onceward.database.url: "));
    }

    @Test
    void aRandomNameFitsHoweverLongTheHostsNameIs() {
        assertThat(WorkerIds.random("host")).matches("host-[0-9a-f]{8}");
        assertThat(WorkerIds.random("h".repeat(253))).hasSize(100).matches("h{91}-[0-9a-f]{8}");
        assertThat(WorkerIds.random("host")).isNotEqualTo(WorkerIds.random("host"));
    }
}
