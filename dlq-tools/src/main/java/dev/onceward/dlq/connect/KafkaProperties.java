package dev.onceward.dlq.connect;

import dev.onceward.dlq.output.Secrets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Properties of Kafka's clients: those of {@code --command-config}, and those that the command cannot do without. */
final class KafkaProperties {
    private static final Pattern JAAS_VALUE = Pattern.compile("(\\w+)\\s*=\\s*\"((?:[^\"\\\\]|\\\\.)*)\"");

    /** A wrong address must be told before the operator takes the command for dead. */
    private static final int FIRST_CONTACT_MILLIS = 5_000;

    private final Map<String, Object> common = new HashMap<>();
    private final int firstContactMillis;

    KafkaProperties(GivenSettings given, Secrets secrets) {
        common.put(CommonClientConfigs.CLIENT_ID_CONFIG, "dlq");
        // Kafka's own defaults let an operator wait a minute before a wrong address is told.
        common.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, 10_000);
        common.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, 20_000);
        Map<String, Object> ours = Map.copyOf(common);
        given.find(SettingNames.COMMAND_CONFIG).ifPresent(file -> {
            Properties properties = GivenSettings.read(Path.of(file), "--command-config");
            for (String name : properties.stringPropertyNames()) {
                common.put(name, properties.getProperty(name));
                learn(name, properties.getProperty(name), secrets);
            }
        });
        firstContactMillis = firstContact(ours);
        common.put(
                CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG,
                given.get(SettingNames.BOOTSTRAP_SERVER, "Kafka's address"));
    }

    String address() {
        return String.valueOf(common.get(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG));
    }

    /**
     * How long to wait for Kafka's first answer. Shorter than for all later ones: a broker that has answered once and is
     * slow now is worth waiting for. Whoever sets {@code default.api.timeout.ms} knows of a slow way to it.
     */
    int firstContactMillis() {
        return firstContactMillis;
    }

    Map<String, Object> forAdmin() {
        return new HashMap<>(common);
    }

    /** Reads what is told to it, remembers nothing, and sees only what was committed. */
    Map<String, Object> forConsumer() {
        Map<String, Object> properties = new HashMap<>(common);
        properties.remove(ConsumerConfig.GROUP_ID_CONFIG);
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, false);
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, false);
        properties.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        properties.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
        // Half a fetch is thrown away at every seek, and memory shall stay small.
        properties.putIfAbsent(ConsumerConfig.FETCH_MAX_BYTES_CONFIG, 8 * 1024 * 1024);
        // What is asked for is there already. A broker that waits for more at the end of one partition keeps the fetch
        // of the next one waiting, half a second each.
        properties.putIfAbsent(ConsumerConfig.FETCH_MAX_WAIT_MS_CONFIG, 20);
        return properties;
    }

    Map<String, Object> forProducer() {
        Map<String, Object> properties = new HashMap<>(common);
        properties.remove(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG); // a producer has none
        properties.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, true);
        properties.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        properties.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
        // One request at a time: what follows a batch that fails must not have been sent already.
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, 1);
        properties.putIfAbsent(ProducerConfig.BATCH_SIZE_CONFIG, 256 * 1024);
        properties.putIfAbsent(ProducerConfig.LINGER_MS_CONFIG, 5);
        properties.putIfAbsent(ProducerConfig.BUFFER_MEMORY_CONFIG, 16 * 1024 * 1024);
        properties.putIfAbsent(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 60_000);
        return properties;
    }

    private int firstContact(Map<String, Object> ours) {
        String name = CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG;
        Object timeout = common.get(name);
        try {
            return Objects.equals(timeout, ours.get(name))
                    ? FIRST_CONTACT_MILLIS
                    : Integer.parseInt(String.valueOf(timeout).strip());
        } catch (NumberFormatException e) {
            return FIRST_CONTACT_MILLIS; // Kafka's client will say what is wrong with it
        }
    }

    private static void learn(String name, String value, Secrets secrets) {
        String lower = name.toLowerCase(Locale.ROOT);
        if (lower.contains("password") || lower.contains("secret") || lower.endsWith("keystore.key")) {
            secrets.add(value);
        }
        if (lower.endsWith("jaas.config")) {
            secrets.add(value);
            Matcher option = JAAS_VALUE.matcher(value);
            while (option.find()) {
                if (!option.group(1).toLowerCase(Locale.ROOT).startsWith("user")) {
                    secrets.add(option.group(2));
                }
            }
        }
    }
}
