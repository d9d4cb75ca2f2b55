package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.jspecify.annotations.Nullable;

/** The properties passed through to Kafka's clients: none may break a guarantee, and Kafka must understand them. */
final class KafkaRules {
    private static final Pattern SERVERS =
            Pattern.compile("\\s*[^\\s,;]+:[0-9]{1,5}(\\s*,\\s*[^\\s,;]+:[0-9]{1,5})*\\s*");

    private static final String CONFIG_PROVIDERS = "config.providers";

    private final ConsumerSettings settings;
    private final Problems problems;
    private final KafkaClientProperties properties;
    private final Set<String> refused = new HashSet<>();

    KafkaRules(ConsumerSettings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
        this.properties = new KafkaClientProperties(settings, settings.consumer());
    }

    void check() {
        KafkaGuarantees.rules(settings, properties.usesConsumerProtocol()).forEach(this::apply);
        for (KafkaClient client : KafkaClient.values()) {
            checkServers(client);
            askKafka(client);
        }
        checkPollInterval();
        checkFetchBounds();
    }

    private void apply(KafkaRule rule) {
        String value = rule.client().select(settings.kafka()).get(rule.property());
        if (value != null && !rule.allowed().test(value.trim())) {
            refuse(rule.client(), rule.property(), "'" + value + "' is refused: " + rule.why());
        }
    }

    private void checkServers(KafkaClient client) {
        String property = CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
        String servers = client.select(settings.kafka()).get(property);
        String write = "write host:port of some brokers, separated by commas";
        if (servers == null) {
            refuse(client, property, "is missing; " + write);
        } else if (!SERVERS.matcher(servers).matches() && !isResolvedLater(servers)) {
            refuse(client, property, "'" + servers + "' names no brokers; " + write);
        }
    }

    /** Kafka's own check of each value given. Its words on secrets are not passed on, since they quote them. */
    private void askKafka(KafkaClient client) {
        Map<String, String> given = client.select(settings.kafka());
        ConfigDef definition = client.definition();
        for (ConfigValue result : definition.validate(given)) {
            String property = result.name();
            ConfigDef.ConfigKey key = definition.configKeys().get(property);
            if (key != null
                    && given.containsKey(property)
                    && !result.errorMessages().isEmpty()
                    && !isResolvedLater(given.get(property))
                    && !refused.contains(client.givenName(property, settings.kafka()))) {
                boolean secret = key.type == ConfigDef.Type.PASSWORD;
                refuse(
                        client,
                        property,
                        secret ? "Kafka refuses it" : result.errorMessages().get(0));
            }
        }
    }

    private void checkPollInterval() {
        if (!problems.sound(SettingKeys.LIMITS_DRAIN)) {
            return;
        }
        String property = ConsumerConfig.MAX_POLL_INTERVAL_MS_CONFIG;
        String given = KafkaClient.CONSUMER.select(settings.kafka()).get(property);
        OptionalLong millis = given == null
                ? OptionalLong.of(KafkaClientProperties.KAFKAS_MAX_POLL_INTERVAL_MS)
                : KafkaRule.number(given);
        Duration drain = settings.limits().drain();
        if (millis.isEmpty() || drain.multipliedBy(2).toMillis() <= millis.getAsLong()) {
            return;
        }
        // The group waits this long for a member that gives partitions back; after that it is thrown out, and what it
        // still commits is lost work. Half of it is left for commits, release and the poll before.
        String needed = " must be at least twice " + SettingKeys.LIMITS_DRAIN + " (" + Durations.format(drain)
                + "), or the group takes the partitions before they are drained";
        if (given == null) {
            problems.add(
                    SettingKeys.LIMITS_DRAIN,
                    "is too long for Kafka's default: " + property + " of " + millis.getAsLong() + needed);
        } else {
            refuse(KafkaClient.CONSUMER, property, "'" + given + "'" + needed);
        }
    }

    private void checkFetchBounds() {
        fetchWithin(
                ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                SettingKeys.BACKPRESSURE_PARTITION_BYTES,
                settings.backpressure().partitionBytes());
        fetchWithin(
                ConsumerConfig.FETCH_MAX_BYTES_CONFIG,
                SettingKeys.BACKPRESSURE_WORKER_BYTES,
                settings.backpressure().workerBytes());
    }

    private void fetchWithin(String property, SettingKeys bound, long bytes) {
        String given = KafkaClient.CONSUMER.select(settings.kafka()).get(property);
        if (given != null && problems.sound(bound) && KafkaRule.number(given).orElse(0) > bytes) {
            refuse(
                    KafkaClient.CONSUMER,
                    property,
                    "'" + given + "' is more than " + bound + " (" + Sizes.format(bytes) + "): one fetch would pass"
                            + " the bound; lower it, or raise the other");
        }
    }

    /** A client with providers replaces "${provider:path:key}" itself. What a guarantee hangs on must be said plainly. */
    private boolean isResolvedLater(@Nullable String value) {
        return value != null
                && value.contains("${")
                && settings.kafka().keySet().stream().anyMatch(name -> name.endsWith(CONFIG_PROVIDERS));
    }

    private void refuse(KafkaClient client, String property, String what) {
        String name = client.givenName(property, settings.kafka());
        refused.add(name);
        problems.add(SettingKeys.KAFKA_PREFIX + name, what);
    }
}
