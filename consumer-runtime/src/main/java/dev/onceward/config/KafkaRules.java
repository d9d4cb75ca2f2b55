package dev.onceward.config;

import dev.onceward.catalog.SettingKeys;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;

/** The properties passed through to Kafka's clients: none may break a guarantee, and Kafka must understand them. */
final class KafkaRules {
    private static final Pattern SERVERS =
            Pattern.compile("\\s*[^\\s,;]+:[0-9]{1,5}(\\s*,\\s*[^\\s,;]+:[0-9]{1,5})*\\s*");

    private static final long KAFKAS_MAX_POLL_INTERVAL_MS = 300_000;

    private final ConsumerSettings settings;
    private final Problems problems;
    private final KafkaClientProperties properties;
    private final Set<String> refused = new HashSet<>();

    KafkaRules(ConsumerSettings settings, Problems problems) {
        this.settings = settings;
        this.problems = problems;
        this.properties = new KafkaClientProperties(settings, settings.consumer());
    }

    /** A property that is taken only with certain values. */
    private record Rule(KafkaClient client, String property, Predicate<String> allowed, String why) {}

    void check() {
        rules().forEach(this::apply);
        for (KafkaClient client : KafkaClient.values()) {
            checkServers(client);
            askKafka(client);
        }
        checkPollInterval();
        checkFetchBounds();
    }

    private Stream<Rule> rules() {
        return Stream.of(consumerRules(), producerRules(), protocolRules()).flatMap(List::stream);
    }

    private List<Rule> consumerRules() {
        KafkaClient consumer = KafkaClient.CONSUMER;
        return List.of(
                new Rule(
                        consumer,
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false"::equals,
                        "offsets are committed only behind finished messages, or messages are lost; leave it out"),
                new Rule(
                        consumer,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"::equals,
                        "records of aborted transactions would take effect; leave it out"),
                new Rule(
                        consumer,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        value -> false,
                        "Kafka would skip messages when an offset is missing; set " + SettingKeys.START_POSITION
                                + ", which holds only for partitions never seen before"),
                new Rule(
                        consumer,
                        ConsumerConfig.GROUP_ID_CONFIG,
                        settings.groupId()::equals,
                        "set " + SettingKeys.GROUP_ID + " instead"),
                new Rule(
                        consumer,
                        ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG,
                        value -> false,
                        "deserializers are given together with a topic's handler"),
                new Rule(
                        consumer,
                        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG,
                        value -> false,
                        "deserializers are given together with a topic's handler"),
                new Rule(
                        consumer,
                        ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG,
                        "false"::equals,
                        "a misspelt topic would be created and waited for; create topics before, or set "
                                + SettingKeys.DEAD_LETTERS_CREATE_ENABLED),
                new Rule(
                        consumer,
                        ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
                        String::isEmpty,
                        "an interceptor can drop or change records unseen: messages would be lost, dead letters altered"),
                new Rule(
                        consumer,
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        atMost(settings.backpressure().workerMessages()),
                        "one poll would bring more than " + SettingKeys.BACKPRESSURE_WORKER_MESSAGES + " allows"));
    }

    private static List<Rule> producerRules() {
        KafkaClient producer = KafkaClient.PRODUCER;
        return List.of(
                new Rule(
                        producer,
                        ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                        "true"::equals,
                        "dead letters would be doubled by the producer's own retries; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.ACKS_CONFIG,
                        value -> value.equals("all") || value.equals("-1"),
                        "an acknowledged dead letter could be lost with one broker; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                        value -> false,
                        "dead letters are not published in Kafka transactions; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG,
                        value -> false,
                        "dead letters are published byte for byte; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG,
                        value -> false,
                        "dead letters are published byte for byte; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.INTERCEPTOR_CLASSES_CONFIG,
                        String::isEmpty,
                        "an interceptor can drop or change records unseen: messages would be lost, dead letters altered"),
                new Rule(
                        producer,
                        ProducerConfig.RETRIES_CONFIG,
                        value -> !value.equals("0"),
                        "idempotence needs retries; leave it out"),
                new Rule(
                        producer,
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        atMost(5),
                        "idempotence holds for at most 5 requests in flight"));
    }

    /** What Kafka refuses under the new protocol, said here so that it is said together with the rest. */
    private List<Rule> protocolRules() {
        String setByBroker = "with group.protocol=consumer the broker decides this; leave it out";
        if (!properties.usesConsumerProtocol()) {
            return List.of(new Rule(
                    KafkaClient.CONSUMER,
                    ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
                    value -> false,
                    "needs group.protocol=consumer"));
        }
        return Stream.of(
                        ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
                        ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
                        ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG)
                .map(property -> new Rule(KafkaClient.CONSUMER, property, value -> false, setByBroker))
                .toList();
    }

    private void apply(Rule rule) {
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
        } else if (!SERVERS.matcher(servers).matches()) {
            refuse(client, property, "'" + servers + "' names no brokers; " + write);
        }
    }

    /** Kafka's own check of each value. It is not asked for values set here, and its words on secrets are not passed on. */
    private void askKafka(KafkaClient client) {
        Map<String, String> given = client.select(settings.kafka());
        ConfigDef definition = client.definition();
        for (ConfigValue result : definition.validate(given)) {
            String property = result.name();
            ConfigDef.ConfigKey key = definition.configKeys().get(property);
            if (key != null
                    && given.containsKey(property)
                    && !result.errorMessages().isEmpty()
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
        OptionalLong millis = given == null ? OptionalLong.of(KAFKAS_MAX_POLL_INTERVAL_MS) : number(given);
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
        if (given != null && problems.sound(bound) && number(given).orElse(0) > bytes) {
            refuse(
                    KafkaClient.CONSUMER,
                    property,
                    "'" + given + "' is more than " + bound + " (" + Sizes.format(bytes) + "): one fetch would pass"
                            + " the bound; lower it, or raise the other");
        }
    }

    private void refuse(KafkaClient client, String property, String what) {
        String name = client.givenName(property, settings.kafka());
        refused.add(name);
        problems.add(SettingKeys.KAFKA_PREFIX + name, what);
    }

    private static Predicate<String> atMost(long bound) {
        return value -> number(value).orElse(0) <= bound;
    }

    /** Empty where Kafka's own check will complain. */
    private static OptionalLong number(String text) {
        try {
            return OptionalLong.of(Long.parseLong(text.trim()));
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
    }
}
