package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KafkaNodeSettingsTest {

    @Test
    void settingsGoOverDefaultsButNotOverWhereTheBrokerIs() {
        KafkaOptions options = KafkaOptions.defaults()
                .with("offsets.topic.num.partitions", "7")
                .with("message.max.bytes", "1000")
                .with("listeners", "PLAINTEXT://0.0.0.0:9092");
        assertThat(KafkaNodeSettings.of(options, Path.of("/somewhere"), 1111, 2222))
                .containsEntry("offsets.topic.num.partitions", "7")
                .containsEntry("message.max.bytes", "1000")
                .containsEntry("auto.create.topics.enable", "false")
                .containsEntry("log.dirs", "/somewhere/data")
                .containsEntry("listeners", "CLIENTS://127.0.0.1:1111,CONTROLLER://127.0.0.1:2222");
    }

    @Test
    void imageTakesSettingsFromTheEnvironment() {
        assertThat(ContainerKafka.environment(Map.of("log.cleaner.dedupe.buffer.size", "1")))
                .isEqualTo(Map.of("KAFKA_LOG_CLEANER_DEDUPE_BUFFER_SIZE", "1"));
    }

    @Test
    void heapIsChecked() {
        assertThat(KafkaOptions.defaults().heapMegabytes()).isEqualTo(256);
        assertThatThrownBy(() -> KafkaOptions.defaults().withHeapMegabytes(64))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("heapMegabytes")
                .hasMessageContaining("64");
    }
}
