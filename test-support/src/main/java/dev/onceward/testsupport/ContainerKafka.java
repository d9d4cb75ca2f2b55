package dev.onceward.testsupport;

import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.testcontainers.kafka.KafkaContainer;

/** Kafka in a Docker container. */
final class ContainerKafka implements KafkaServer {

    static final String IMAGE_VARIABLE = "ONCEWARD_KAFKA_IMAGE";
    static final String OFFICIAL_IMAGE = "apache/kafka:4.4.0";

    private final KafkaContainer container;

    private ContainerKafka(KafkaContainer container) {
        this.container = container;
    }

    static ContainerKafka start(KafkaOptions options) {
        ContainerSupport.requireEngine();
        KafkaContainer container = new KafkaContainer(ContainerSupport.image(IMAGE_VARIABLE, OFFICIAL_IMAGE))
                .withEnv(environment(KafkaNodeSettings.tuned(options)));
        try {
            container.start();
        } catch (RuntimeException e) {
            container.stop();
            throw new BackendException("The container of Kafka did not start: " + e.getMessage(), e);
        }
        return new ContainerKafka(container);
    }

    /** The image takes the setting {@code a.b} from {@code KAFKA_A_B}. */
    static Map<String, String> environment(Map<String, String> settings) {
        return settings.entrySet().stream()
                .collect(Collectors.toMap(
                        setting -> "KAFKA_"
                                + setting.getKey().toUpperCase(Locale.ROOT).replace('.', '_'),
                        Map.Entry::getValue));
    }

    @Override
    public String bootstrapServers() {
        return container.getBootstrapServers();
    }

    @Override
    public void close() {
        container.stop();
    }
}
