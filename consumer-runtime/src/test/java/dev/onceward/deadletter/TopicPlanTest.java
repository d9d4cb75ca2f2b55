package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings.DeadLetterTopics;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class TopicPlanTest {

    private static TopicPlan plan(String deadLetters, String replay, String... sources) {
        return TopicPlan.of(
                TopicFixtures.settings("billing", new DeadLetterTopics(deadLetters, replay, null)), List.of(sources));
    }

    @Test
    void oneDeadLetterTopicForEachSourceAndOneForTheReplayTopic() {
        TopicPlan plan = plan("dlq.{consumer}.{topic}", "replay.{consumer}", "orders", "payments");

        assertThat(plan.deadLetters())
                .isEqualTo(Map.of("dlq.billing.orders", Set.of("orders"), "dlq.billing.payments", Set.of("payments")));
        assertThat(plan.all())
                .containsExactlyInAnyOrder(
                        "orders",
                        "payments",
                        "dlq.billing.orders",
                        "dlq.billing.payments",
                        "replay.billing",
                        "dlq.billing.replay.billing");
        assertThat(plan.isOnlyForUnroutable("dlq.billing.replay.billing")).isTrue();
        assertThat(plan.sourcesOf("dlq.billing.orders")).containsExactly("orders");
        assertThat(plan.sourcesOf("replay.billing")).containsExactly("orders", "payments");
    }

    @Test
    void sourcesMayShareADeadLetterTopic() {
        TopicPlan plan = plan("dlq.{consumer}", "replay.{consumer}", "orders", "payments");

        assertThat(plan.deadLetters()).isEqualTo(Map.of("dlq.billing", Set.of("orders", "payments")));
        assertThat(plan.isOnlyForUnroutable("dlq.billing")).isFalse();
    }

    @Test
    void rolesAreNamed() {
        TopicPlan plan = plan("dlq.{topic}", "replay.{consumer}", "orders");

        assertThat(List.of("orders", "dlq.orders", "replay.billing"))
                .extracting(plan::role)
                .containsExactly("source topic orders", "dead-letter topic dlq.orders", "replay topic replay.billing");
    }

    @Test
    void everyNameThatCannotBeIsToldAtOnce() {
        assertThatThrownBy(() -> plan("dlq {topic}", "x".repeat(250), "orders"))
                .isInstanceOfSatisfying(
                        ConfigurationException.class,
                        e -> assertThat(e.problems())
                                .hasSize(3)
                                .anyMatch(problem ->
                                        problem.startsWith("onceward.dead-letters.topic-pattern: gives no legal"))
                                .anyMatch(problem -> problem.startsWith(
                                        "onceward.dead-letters.replay-topic-pattern: gives no legal")));
    }

    @Test
    void aDeadLetterMustNotComeBackByItself() {
        assertThatThrownBy(() -> plan("{topic}", "replay.{consumer}", "orders"))
                .hasMessageContaining("onceward.dead-letters.topic-pattern: gives orders, which is a source topic");
        assertThatThrownBy(() -> plan("dlq.{topic}", "orders", "orders"))
                .hasMessageContaining("onceward.dead-letters.replay-topic-pattern: gives orders, which is a source");
        assertThatThrownBy(() -> plan("dlq.{consumer}", "dlq.{consumer}", "orders"))
                .hasMessageContaining("every dead letter would be replayed at once");
    }
}
