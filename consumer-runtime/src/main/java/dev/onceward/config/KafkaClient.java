package dev.onceward.config;

import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

/** The three kinds of Kafka client that the runtime makes, and which of the properties passed through reach each. */
enum KafkaClient {
    CONSUMER,
    PRODUCER,
    ADMIN;

    /** What a property begins with that is meant for this client only. */
    String prefix() {
        return name().toLowerCase(Locale.ROOT) + ".";
    }

    /** Kafka's own definition of the properties of this client. */
    ConfigDef definition() {
        return switch (this) {
            case CONSUMER -> ConsumerConfig.configDef();
            case PRODUCER -> ProducerConfig.configDef();
            case ADMIN -> AdminClientConfig.configDef();
        };
    }

    /**
     * The properties for this client, without prefix: those with its prefix, then those without one that it knows. A
     * property that no client knows (of a login module, a metrics reporter) reaches all of them. Others are left out:
     * each client would warn about what is meant for the others.
     */
    Map<String, String> select(Map<String, String> properties) {
        Map<String, String> selected = new TreeMap<>();
        properties.forEach((name, value) -> {
            if (!hasPrefix(name) && (knows(name) || Arrays.stream(values()).noneMatch(client -> client.knows(name)))) {
                selected.put(name, value);
            }
        });
        properties.forEach((name, value) -> {
            if (name.startsWith(prefix())) {
                selected.put(name.substring(prefix().length()), value);
            }
        });
        return selected;
    }

    /** The name under which a property reached this client: with prefix or without. */
    String givenName(String property, Map<String, String> properties) {
        return properties.containsKey(prefix() + property) ? prefix() + property : property;
    }

    private boolean knows(String property) {
        return definition().configKeys().containsKey(property);
    }

    private static boolean hasPrefix(String name) {
        return Arrays.stream(values()).anyMatch(client -> name.startsWith(client.prefix()));
    }
}
