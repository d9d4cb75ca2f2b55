package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.config.ConsumerSettings.DeadLetterTopics;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TopicChecksTest {
    private static final Duration CLAIMS = Duration.ofDays(14);
    private final TopicPlan plan =
            TopicPlan.of(TopicFixtures.settings("billing", DeadLetterTopics.DEFAULT), List.of("orders"));

    private static TopicSettings kept(Duration retention) {
        return new TopicSettings(false, Optional.of(retention), Optional.empty());
    }

    private static TopicSettings upTo(int bytes) {
        return new TopicSettings(false, Optional.of(Duration.ofDays(1)), Optional.of(bytes));
    }

    private List<String> retention(Map<String, TopicSettings> settings) {
        return TopicChecks.retention(plan, settings, CLAIMS);
    }

    @Test
    void claimsThatOutliveRecordsAreFine() {
        assertThat(retention(Map.of(
                        "orders", kept(Duration.ofDays(7)),
                        "dlq.billing.orders", kept(CLAIMS.minusMillis(1)))))
                .isEmpty();
    }

    @Test
    void recordsThatOutliveClaimsAreFound() {
        assertThat(retention(Map.of(
                        "orders", kept(CLAIMS),
                        "dlq.billing.orders", kept(Duration.ofHours(1000)))))
                .containsExactlyInAnyOrder(
                        "onceward.retention.claims: claims are kept for 14d, but source topic orders keeps records for"
                                + " 14d: one that is read or replayed after its claim is gone cannot be recognised as"
                                + " processed; raise onceward.retention.claims above 14d, or set retention.ms of the"
                                + " topic below it",
                        "onceward.retention.claims: claims are kept for 14d, but dead-letter topic dlq.billing.orders"
                                + " keeps records for 1000h: one that is read or replayed after its claim is gone"
                                + " cannot be recognised as processed; raise onceward.retention.claims above 1000h, or"
                                + " set retention.ms of the topic below it");
    }

    @Test
    void noLimitIsLongerThanAnyClaim() {
        assertThat(retention(Map.of("replay.billing", new TopicSettings(false, Optional.empty(), Optional.empty()))))
                .singleElement()
                .asString()
                .contains("replay topic replay.billing keeps records without limit")
                .doesNotContain("above");
    }

    @ParameterizedTest
    @CsvSource({
        "delete,         1000, false, PT1S",
        "delete,         -1,   false, ",
        "compact,        1000, true,  ",
        "'compact,delete', 1000, true,  PT1S",
        "'delete,compact', -1,   true,  "
    })
    void settingsAreReadAsTheBrokerMeansThem(String policy, String millis, boolean compacted, Duration retention) {
        Config config = new Config(List.of(
                new ConfigEntry("cleanup.policy", policy),
                new ConfigEntry("retention.ms", millis),
                new ConfigEntry("max.message.bytes", "2000")));

        assertThat(TopicSettings.of(config))
                .isEqualTo(new TopicSettings(compacted, Optional.ofNullable(retention), Optional.of(2000)));
    }

    @Test
    void aCompactedDeadLetterTopicIsUnsuitable() {
        TopicSettings compacted = new TopicSettings(true, Optional.empty(), Optional.empty());

        assertThat(TopicChecks.suitability(
                        plan,
                        Map.of("dlq.billing.orders", compacted, "replay.billing", compacted, "orders", compacted)))
                .hasSize(2)
                .anyMatch(finding -> finding.startsWith("dead-letter topic dlq.billing.orders is compacted"))
                .anyMatch(finding -> finding.startsWith("replay topic replay.billing is compacted"));
    }

    @Test
    void aDeadLetterTopicMustTakeWhatTheSourceTakes() {
        assertThat(TopicChecks.suitability(plan, Map.of("orders", upTo(2_000), "dlq.billing.orders", upTo(2_000))))
                .isEmpty();
        assertThat(TopicChecks.suitability(plan, Map.of("orders", upTo(2_000), "dlq.billing.orders", upTo(1_999))))
                .containsExactly("dead-letter topic dlq.billing.orders takes records up to 1999 bytes, but source topic"
                        + " orders up to 2000: a larger one that fails would hold its key for ever; set its"
                        + " max.message.bytes to 67536 or more");
    }

    @Test
    void whatIsUnknownIsNotJudged() {
        assertThat(retention(Map.of())).isEmpty();
        assertThat(TopicChecks.suitability(plan, Map.of("orders", upTo(1)))).isEmpty();
    }

    @Test
    void roomForDiagnosticsDoesNotOverflow() {
        assertThat(NewTopics.withRoom(Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
    }

    @ParameterizedTest
    @CsvSource({"P14D, 14d", "PT36H, 36h", "PT1M, PT1M", "PT0S, PT0S"})
    void durationsAreReadable(Duration duration, String text) {
        assertThat(TopicChecks.text(duration)).isEqualTo(text);
    }
}
