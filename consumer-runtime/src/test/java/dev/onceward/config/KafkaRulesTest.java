package dev.onceward.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.SettingKeys;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class KafkaRulesTest {

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "enable.auto.commit                    | true             | offsets are committed only behind finished",
                "enable.auto.commit                    | TRUE             | offsets are committed only behind finished",
                "consumer.enable.auto.commit           | yes              | offsets are committed only behind finished",
                "isolation.level                       | read_uncommitted | records of aborted transactions",
                "consumer.isolation.level              | ${env:LEVEL}     | records of aborted transactions",
                "auto.offset.reset                     | latest           | set onceward.start-position",
                "auto.offset.reset                     | earliest         | set onceward.start-position",
                "auto.offset.reset                     | none             | set onceward.start-position",
                "consumer.auto.offset.reset            | by_duration:PT1H | set onceward.start-position",
                "group.id                              | other            | set onceward.group-id",
                "consumer.group.id                     | other            | set onceward.group-id",
                "key.deserializer                      | x.Y              | deserializers are given together with",
                "consumer.value.deserializer           | x.Y              | deserializers are given together with",
                "allow.auto.create.topics              | true             | a misspelt topic would be created",
                "interceptor.classes                   | x.Y              | an interceptor can drop or change records",
                "consumer.interceptor.classes          | x.Y              | an interceptor can drop or change records",
                "producer.interceptor.classes          | x.Y              | an interceptor can drop or change records",
                "max.poll.records                      | 20001            | onceward.backpressure.worker-messages",
                "enable.idempotence                    | false            | dead letters would be doubled",
                "producer.enable.idempotence           | false            | dead letters would be doubled",
                "acks                                  | 1                | could be lost with one broker",
                "producer.acks                         | 0                | could be lost with one broker",
                "transactional.id                      | t                | not published in Kafka transactions",
                "key.serializer                        | x.Y              | byte for byte",
                "producer.value.serializer             | x.Y              | byte for byte",
                "retries                               | 0                | idempotence needs retries",
                "max.in.flight.requests.per.connection | 6                | at most 5 requests",
                "group.remote.assignor                 | uniform          | needs group.protocol=consumer",
                "max.partition.fetch.bytes             | 8388609          | onceward.backpressure.partition-bytes (8MiB)",
                "consumer.fetch.max.bytes              | 25165825         | onceward.backpressure.worker-bytes (24MiB)",
                "max.poll.interval.ms                  | 19999            | at least twice onceward.limits.drain (10s)",
            })
    void refusesWhatWouldBreakAGuarantee(String name, String value, String why) {
        assertThat(TestSettings.problems(TestSettings.kafka(name, value)))
                .singleElement()
                .asString()
                .startsWith("onceward.kafka." + name + ": '" + value + "'")
                .contains(why);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "enable.auto.commit                    | false",
                "isolation.level                       | read_committed",
                "group.id                              | billing",
                "consumer.group.id                     | billing",
                "allow.auto.create.topics              | false",
                "interceptor.classes                   | ''",
                "max.poll.records                      | 20000",
                "max.poll.interval.ms                  | 20000",
                "enable.idempotence                    | true",
                "acks                                  | all",
                "producer.acks                         | -1",
                "retries                               | 7",
                "admin.retries                         | 0",
                "max.in.flight.requests.per.connection | 5",
                "max.partition.fetch.bytes             | 8388608",
                "fetch.max.bytes                       | 25165824",
                "partition.assignment.strategy         | org.apache.kafka.clients.consumer.StickyAssignor",
                "session.timeout.ms                    | 10000",
                "group.instance.id                     | one",
                "security.protocol                     | SASL_SSL",
                "group.protocol                        | classic",
                "group.protocol                        | consumer",
                "linger.ms                             | ' 50 '",
                "some.login.module.url                 | anything",
            })
    void takesTheRest(String name, String value) {
        assertThat(TestSettings.problems(TestSettings.kafka(name, value))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"partition.assignment.strategy", "session.timeout.ms", "heartbeat.interval.ms"})
    void theConsumerProtocolLeavesThisToTheBroker(String name) {
        for (String given : List.of(name, "consumer." + name)) {
            assertThat(TestSettings.problems(TestSettings.kafka("group.protocol", "Consumer", given, "1000")))
                    .singleElement()
                    .asString()
                    .startsWith("onceward.kafka." + given + ": ")
                    .contains("with group.protocol=consumer the broker decides this");
        }
    }

    @Test
    void onlyTheConsumerProtocolTakesARemoteAssignor() {
        assertThat(TestSettings.problems(
                        TestSettings.kafka("group.protocol", "consumer", "group.remote.assignor", "uniform")))
                .isEmpty();
    }

    @Test
    void aPropertyForTwoClientsIsRefusedOnce() {
        assertThat(TestSettings.problems(TestSettings.kafka("interceptor.classes", "x.Y", "acks", "0")))
                .hasSize(2)
                .doesNotHaveDuplicates();
    }

    @Test
    void thePrefixedPropertyCounts() {
        assertThat(TestSettings.problems(TestSettings.kafka(
                        "isolation.level", "read_uncommitted", "consumer.isolation.level", "read_committed")))
                .isEmpty();
        assertThat(TestSettings.problems(TestSettings.kafka("acks", "all", "producer.acks", "1")))
                .singleElement()
                .asString()
                .startsWith("onceward.kafka.producer.acks: ");
    }

    @ParameterizedTest
    @CsvSource({
        "fetch.min.bytes, x",
        "consumer.fetch.min.bytes, 1.5",
        "max.poll.interval.ms, soon",
        "max.poll.records, 0",
        "max.partition.fetch.bytes, 99999999999",
        "group.protocol, share",
        "producer.compression.type, zip",
        "linger.ms, -1",
        "security.protocol, TLS",
        "admin.request.timeout.ms, x",
    })
    void whatKafkaDoesNotUnderstandIsSaidInKafkasWords(String name, String value) {
        assertThat(TestSettings.problems(TestSettings.kafka(name, value)))
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line)
                        .startsWith("onceward.kafka." + name + ": ")
                        .contains(value));
    }

    @Test
    void brokersAreNamed() {
        TestSettings.with(SettingKeys.SCHEMA, "public")
                .withoutKafka("bootstrap.servers")
                .assertRefused("onceward.kafka.bootstrap.servers", "is missing", "host:port");
        assertThat(TestSettings.with(SettingKeys.SCHEMA, "public")
                        .withoutKafka("bootstrap.servers")
                        .andKafka("consumer.bootstrap.servers", "a:1", "producer.bootstrap.servers", "a:2")
                        .problems())
                .as("the admin client's are missing")
                .hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "a:", ":1", "a:x", "a:1,", "a:1,b", "a b:1", "a:1;b:2", "a:123456"})
    void brokersAreHostAndPort(String servers) {
        assertThat(TestSettings.problems(TestSettings.kafka("bootstrap.servers", servers)))
                .singleElement()
                .asString()
                .startsWith("onceward.kafka.bootstrap.servers: '" + servers + "' names no brokers");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a:1", "a:1,b.example:65535", " a:1 , [::1]:9092 ", "SSL://a:1"})
    void brokersMayBeSeveral(String servers) {
        assertThat(TestSettings.problems(TestSettings.kafka("bootstrap.servers", servers)))
                .isEmpty();
    }

    @Test
    void whatAProviderResolvesIsNotRead() {
        String[] resolvedLater = {"bootstrap.servers", "${env:SERVERS}", "fetch.min.bytes", "${env:BYTES}"};
        assertThat(TestSettings.problems(TestSettings.kafka(resolvedLater))).hasSize(2);
        assertThat(TestSettings.with(SettingKeys.SCHEMA, "public")
                        .andKafka(resolvedLater)
                        .andKafka("config.providers", "env", "isolation.level", "${env:LEVEL}")
                        .problems())
                .as("but never where a guarantee hangs on it")
                .singleElement()
                .asString()
                .startsWith("onceward.kafka.isolation.level: ");
    }

    @Test
    void aDrainFitsIntoKafkasDefaultToo() {
        assertThat(TestSettings.with(SettingKeys.LIMITS_DRAIN, "150s")
                        .and(SettingKeys.LIMITS_SHUTDOWN, "150s")
                        .problems())
                .isEmpty();
        TestSettings.with(SettingKeys.LIMITS_DRAIN, "151s")
                .and(SettingKeys.LIMITS_SHUTDOWN, "200s")
                .assertRefused("onceward.limits.drain", "max.poll.interval.ms of 300000", "at least twice");
        assertThat(TestSettings.with(SettingKeys.LIMITS_DRAIN, "151s")
                        .and(SettingKeys.LIMITS_SHUTDOWN, "200s")
                        .andKafka("max.poll.interval.ms", "302000")
                        .problems())
                .isEmpty();
    }

    @Test
    void secretsAreNotPrinted() {
        assertThat(TestSettings.problems(
                        TestSettings.kafka("sasl.jaas.config", "secret", "ssl.key.password", "secret")))
                .allSatisfy(line -> assertThat(line).doesNotContain("secret"));
        assertThat(Arrays.stream(KafkaClient.values()).map(KafkaClient::prefix))
                .containsExactly("consumer.", "producer.", "admin.");
    }

    @Test
    void noPropertyOfKafkaLooksLikeAPrefixOrIsLostInAnEnvironmentVariable() {
        for (KafkaClient client : KafkaClient.values()) {
            assertThat(client.definition().names())
                    .allSatisfy(name -> assertThat(name).matches("[a-z0-9]+(\\.[a-z0-9]+)*"))
                    .noneMatch(name -> name.matches("(consumer|producer|admin)\\..*"));
        }
    }
}
