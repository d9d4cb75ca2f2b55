package dev.onceward.testsupport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.onceward.testsupport.proxy.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.serialization.StringSerializer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ChildKafkaClusterIT {
    private static final String TOPIC = "replicated";

    @Test
    void goesOnWithoutOneOfItsBrokersAndIsReachedByWayOfProxies() throws ExecutionException, InterruptedException {
        List<TcpProxy> proxies = new ArrayList<>();
        try (ChildKafkaCluster cluster = ChildKafkaCluster.start(3, KafkaOptions.defaults(), port -> {
                    TcpProxy proxy = TcpProxy.to("127.0.0.1", port);
                    proxies.add(proxy);
                    return proxy.port();
                });
                Admin admin = Admin.create(Map.of("bootstrap.servers", cluster.bootstrapServers()))) {
            admin.createTopics(List.of(new NewTopic(TOPIC, Optional.of(6), Optional.empty())))
                    .all()
                    .get();
            send(cluster, "all three");
            assertThat(admin.describeCluster().nodes().get())
                    .extracting(Node::port)
                    .containsExactlyInAnyOrderElementsOf(
                            proxies.stream().map(TcpProxy::port).toList());

            cluster.brokers().get(1).kill();
            send(cluster, "two of three");
            Awaitility.await()
                    .atMost(Duration.ofSeconds(30))
                    .until(() -> leaders(admin), leaders -> !leaders.contains(2));

            cluster.brokers().get(1).restart();
            Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> inSync(admin) == 18);
            send(cluster, "all again");
        } finally {
            proxies.forEach(TcpProxy::close);
        }
    }

    @Test
    void isNoClusterWithFewerThanThree() {
        assertThatThrownBy(() -> ChildKafkaCluster.start(2, KafkaOptions.defaults()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("3");
    }

    private static void send(ChildKafkaCluster cluster, String value) throws ExecutionException, InterruptedException {
        try (KafkaProducer<String, String> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", cluster.bootstrapServers()),
                new StringSerializer(),
                new StringSerializer())) {
            for (int partition = 0; partition < 6; partition++) {
                producer.send(new ProducerRecord<>(TOPIC, partition, "key", value))
                        .get();
            }
        }
    }

    private static List<Integer> leaders(Admin admin) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC).partitions().stream()
                .map(partition ->
                        partition.leader() == null ? -1 : partition.leader().id())
                .toList();
    }

    private static long inSync(Admin admin) throws ExecutionException, InterruptedException {
        return admin.describeTopics(List.of(TOPIC)).allTopicNames().get().get(TOPIC).partitions().stream()
                .mapToLong(partition -> partition.isr().size())
                .sum();
    }
}
