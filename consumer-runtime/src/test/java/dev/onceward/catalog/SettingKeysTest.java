package dev.onceward.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SettingKeysTest {

    @Test
    void keysAndDefaultsArePublicApi() {
        Map<String, String> pinned = new TreeMap<>();
        for (SettingKeys setting : SettingKeys.values()) {
            pinned.put(setting.key(), setting.defaultText().orElse("-"));
        }
        assertThat(pinned)
                .containsExactlyInAnyOrderEntriesOf(Map.ofEntries(
                        Map.entry("onceward.consumer", "-"),
                        Map.entry("onceward.group-id", "-"),
                        Map.entry("onceward.schema", "public"),
                        Map.entry("onceward.ordering", "key"),
                        Map.entry("onceward.start-position", "earliest"),
                        Map.entry("onceward.id-reuse", "dead-letter"),
                        Map.entry("onceward.allow-asynchronous-commit", "false"),
                        Map.entry("onceward.retry.max-attempts", "5"),
                        Map.entry("onceward.retry.base-delay", "200ms"),
                        Map.entry("onceward.retry.max-delay", "30s"),
                        Map.entry("onceward.concurrency.lanes", "8"),
                        Map.entry("onceward.concurrency.max-group-size", "100"),
                        Map.entry("onceward.concurrency.group-budget", "5s"),
                        Map.entry("onceward.limits.handler", "30s"),
                        Map.entry("onceward.limits.lock", "10s"),
                        Map.entry("onceward.limits.takeover-grace", "5s"),
                        Map.entry("onceward.limits.drain", "10s"),
                        Map.entry("onceward.limits.shutdown", "30s"),
                        Map.entry("onceward.limits.commit-interval", "1s"),
                        Map.entry("onceward.limits.max-stuck-handlers", "3"),
                        Map.entry("onceward.backpressure.partition-messages", "2000"),
                        Map.entry("onceward.backpressure.partition-bytes", "8MiB"),
                        Map.entry("onceward.backpressure.worker-messages", "20000"),
                        Map.entry("onceward.backpressure.worker-bytes", "24MiB"),
                        Map.entry("onceward.backpressure.max-ahead", "100000"),
                        Map.entry("onceward.lease.interval", "2s"),
                        Map.entry("onceward.lease.duration", "10s"),
                        Map.entry("onceward.retention.claims", "14d"),
                        Map.entry("onceward.retention.pruning", "true"),
                        Map.entry("onceward.retention.check", "warn"),
                        Map.entry("onceward.dead-letters.topic-pattern", "dlq.{consumer}.{topic}"),
                        Map.entry("onceward.dead-letters.replay-topic-pattern", "replay.{consumer}"),
                        Map.entry("onceward.dead-letters.create.enabled", "false"),
                        Map.entry("onceward.dead-letters.create.partitions", "0"),
                        Map.entry("onceward.dead-letters.create.replication-factor", "-1"),
                        Map.entry("onceward.dead-letters.create.retention", "-"),
                        Map.entry("onceward.database.url", "-"),
                        Map.entry("onceward.database.user", "-"),
                        Map.entry("onceward.database.password", "-")));
    }

    @ParameterizedTest
    @EnumSource
    void isWellFormed(SettingKeys setting) {
        assertThat(setting.key()).matches("onceward(\\.[a-z]+(-[a-z]+)*)+").doesNotStartWith(SettingKeys.KAFKA_PREFIX);
        assertThat(setting.environmentVariable()).matches("ONCEWARD(_[A-Z]+)+");
        assertThat(setting.meaning()).isNotBlank().doesNotEndWith(".");
        assertThat(setting.allowed()).isNotBlank();
        assertThat(setting).hasToString(setting.key());
        assertThat(SettingKeys.find(setting.key())).contains(setting);
        if (setting.type().hasRange()) {
            assertThat(setting.allowed()).isEqualTo(setting.min() + " to " + setting.max());
        } else {
            assertThatThrownBy(setting::min).isInstanceOf(IllegalStateException.class);
        }
    }

    @Test
    void environmentVariablesAreDistinct() {
        assertThat(Arrays.stream(SettingKeys.values()).map(SettingKeys::environmentVariable))
                .doesNotHaveDuplicates()
                .contains("ONCEWARD_RETRY_MAX_ATTEMPTS")
                .noneMatch(name -> name.startsWith("ONCEWARD_KAFKA"));
    }

    @Test
    void noKeyIsTheBeginningOfAnother() {
        // So that they can be written as a tree, in YAML for example.
        for (SettingKeys one : SettingKeys.values()) {
            assertThat(Arrays.stream(SettingKeys.values()).map(SettingKeys::key))
                    .noneMatch(other -> other.startsWith(one.key() + "."));
        }
    }

    @Test
    void unknownKeysAreNotFound() {
        assertThat(SettingKeys.find("onceward.Retry.max-attempts")).isEmpty();
    }

    @Test
    void documentationHasALineForEach() {
        assertThat(SettingKeys.markdown())
                .contains("| `onceward.ordering` | choice | `key` | key \\| partition \\| unordered | ")
                .contains("| `onceward.retry.base-delay` | duration | `200ms` | 1ms to 1h | ")
                .hasLineCount(SettingKeys.values().length + 2);
    }
}
