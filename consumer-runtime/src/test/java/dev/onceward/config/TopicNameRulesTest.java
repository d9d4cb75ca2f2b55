package dev.onceward.config;

import static dev.onceward.catalog.SettingKeys.DEAD_LETTERS_REPLAY_TOPIC_PATTERN;
import static dev.onceward.catalog.SettingKeys.DEAD_LETTERS_TOPIC_PATTERN;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.SettingKeys;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TopicNameRulesTest {
    private static final String DEAD_LETTERS = "onceward.dead-letters.topic-pattern: ";
    private static final String REPLAY = "onceward.dead-letters.replay-topic-pattern: ";

    @Test
    void severalTopicsNeedSeveralDeadLetterTopics() {
        TestSettings settings = TestSettings.with(DEAD_LETTERS_TOPIC_PATTERN, "dlq.{consumer}");
        assertThat(settings.problems()).isEmpty();
        assertThat(settings.problems("payments")).isEmpty();
        assertThat(settings.problems("payments", "orders"))
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "'dlq.{consumer}' gives the same dead-letter topic for 2 topics");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "dlq/{topic}", "dlq {topic}", "{topics}", "{topic", "dlq.{Consumer}", ".", "..", "ü"})
    void deadLetterTopicsHaveLegalNames(String pattern) {
        assertThat(TestSettings.with(DEAD_LETTERS_TOPIC_PATTERN, pattern).problems())
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "gives '")
                .contains("no legal topic name", "only {consumer} and {topic} are replaced");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "replay/{consumer}", "replay.{topic}", ".", ".."})
    void theReplayTopicHasALegalName(String pattern) {
        assertThat(TestSettings.with(DEAD_LETTERS_REPLAY_TOPIC_PATTERN, pattern).problems("payments"))
                .singleElement()
                .asString()
                .startsWith(REPLAY + "gives '")
                .contains("no legal topic name", "only {consumer} is replaced");
    }

    @Test
    void namesHaveKafkasLimit() {
        String fixed = "dlq.billing.";
        assertThat(TestSettings.problems(TestSettings.defaults(), "t".repeat(249 - fixed.length())))
                .isEmpty();
        assertThat(TestSettings.problems(TestSettings.defaults(), "t".repeat(250 - fixed.length())))
                .singleElement()
                .asString()
                .contains(DEAD_LETTERS, "(250 characters)", "1 to 249 characters");
    }

    @Test
    void deadLettersOfTheReplayTopicHaveALegalNameToo() {
        assertThat(TestSettings.with(DEAD_LETTERS_REPLAY_TOPIC_PATTERN, "r".repeat(249))
                        .problems("payments"))
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS);
    }

    @Test
    void noTopicIsTwoThingsAtOnce() {
        assertThat(TestSettings.problems(TestSettings.defaults(), "payments", "replay.billing"))
                .singleElement()
                .asString()
                .startsWith(REPLAY + "gives 'replay.billing', which is a source topic");
        assertThat(TestSettings.problems(TestSettings.defaults(), "payments", "dlq.billing.payments"))
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "gives 'dlq.billing.payments', which is a source topic");
        assertThat(TestSettings.with(DEAD_LETTERS_TOPIC_PATTERN, "{topic}").problems("payments"))
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "gives 'payments', which is a source topic");
        assertThat(TestSettings.with(DEAD_LETTERS_TOPIC_PATTERN, "replay.{consumer}")
                        .problems("payments"))
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "gives 'replay.billing', which is the replay topic");
        assertThat(TestSettings.with(DEAD_LETTERS_TOPIC_PATTERN, "dlq.{topic}")
                        .problems("replay.x", "dlq.replay.billing"))
                .as("the dead letters of the replay topic")
                .singleElement()
                .asString()
                .startsWith(DEAD_LETTERS + "gives 'dlq.replay.billing', which is a source topic");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a/b", ".", "..", "ü"})
    void sourceTopicsHaveLegalNames(String topic) {
        assertThat(TestSettings.problems(TestSettings.defaults(), topic))
                .singleElement()
                .asString()
                .startsWith("topic '" + topic + "': is no legal topic name");
    }

    @Test
    void aConsumerWithAProblemIsNotBlamedOnThePatterns() {
        TestSettings.with(SettingKeys.CONSUMER, "a b")
                .and(SettingKeys.GROUP_ID, "g")
                .assertRefused("onceward.consumer");
    }
}
