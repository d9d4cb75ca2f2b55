package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.catalog.SettingKeys;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Settings for tests: the defaults and what has none, and something changed. Nothing listens on port 1. */
final class TestSettings {
    private final SettingValues values = new SettingValues();
    private final Map<String, String> kafka = new HashMap<>(Map.of("bootstrap.servers", "localhost:1"));

    private TestSettings() {
        values.put(SettingKeys.CONSUMER, "billing");
    }

    static ConsumerSettings defaults() {
        return new TestSettings().build();
    }

    static TestSettings with(SettingKeys setting, String text) {
        return new TestSettings().and(setting, text);
    }

    /** Name, value, name, value. */
    static ConsumerSettings kafka(String... namesAndValues) {
        return new TestSettings().andKafka(namesAndValues).build();
    }

    TestSettings and(SettingKeys setting, String text) {
        values.put(setting, SettingText.parse(setting, text));
        return this;
    }

    TestSettings andKafka(String... namesAndValues) {
        for (int i = 0; i < namesAndValues.length; i += 2) {
            kafka.put(namesAndValues[i], namesAndValues[i + 1]);
        }
        return this;
    }

    TestSettings withoutKafka(String name) {
        kafka.remove(name);
        return this;
    }

    ConsumerSettings build() {
        return values.settings(kafka);
    }

    /** What is wrong with these settings for consuming these topics. */
    static List<String> problems(ConsumerSettings settings, String... topics) {
        ConfigurationException refused = catchThrowableOfType(
                ConfigurationException.class, () -> SettingsValidator.check(settings, Set.of(topics)));
        return refused == null ? List.of() : refused.problems();
    }

    List<String> problems(String... topics) {
        return problems(build(), topics);
    }

    /** Exactly one problem, with this key, whose text contains all of these. */
    void assertRefused(String key, String... words) {
        assertThat(problems()).singleElement().asString().startsWith(key + ": ").satisfies(line -> {
            for (String word : words) {
                assertThat(line).contains(word);
            }
        });
    }
}
