package dev.onceward.catalog;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** {@code docs/reference.md} says what the catalogue says. To write it anew: {@code -Donceward.docs.write=true}. */
class ReferencePageTest {
    private static final Path PAGE = Path.of("..", "docs", "reference.md");

    @Test
    void thePageSaysWhatTheCatalogueSays() throws IOException {
        if (Boolean.getBoolean("onceward.docs.write")) {
            Files.writeString(PAGE, page());
        }
        assertThat(Files.readString(PAGE)).isEqualTo(page());
    }

    private static String page() {
        return """
                # Reference

                Written from the catalogue in code (`dev.onceward.catalog`); a test compares the two.

                ## Settings

                As properties, or as environment variables (`ONCEWARD_RETRY_MAX_ATTEMPTS` for
                `onceward.retry.max-attempts`), through `SettingsReader`; in code as `ConsumerSettings`. Durations are written
                `250ms`, `30s`, `5m`, `2h`, `14d` or as ISO-8601 (`PT30S`).

                Whatever begins with `onceward.kafka.` is handed to Kafka's clients without that prefix: to all of them
                (`onceward.kafka.bootstrap.servers`, required), or to one (`onceward.kafka.consumer.`, `onceward.kafka.producer.`,
                `onceward.kafka.admin.`). What would break a guarantee is refused with the reason.

                %s
                ## Meters

                Micrometer names; a registry may show them in its own spelling.

                %s
                ## Headers

                Of dead letters and of replays. The original headers stand before them, byte for byte.

                %s
                ## Log events

                The value of the key `event` in structured log lines.

                %s""".formatted(
                        SettingKeys.markdown(), MeterNames.markdown(), HeaderNames.markdown(), EventNames.markdown());
    }
}
