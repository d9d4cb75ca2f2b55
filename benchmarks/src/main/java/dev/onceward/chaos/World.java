package dev.onceward.chaos;

import static java.util.Objects.requireNonNull;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/**
 * What faults can hurt.
 *
 * @param servers brokers, database, and the ways to them
 * @param fleet the workers
 */
record World(Servers servers, Fleet fleet) {
    static final String CONSUMER = "chaos";
    static final String TOPIC = "chaos-payments";

    private static final Duration PATIENCE = Duration.ofSeconds(90);
    private static final int SECONDS = 30;

    /** The partitions of the topic, as the brokers see them. */
    List<TopicPartitionInfo> partitions() throws InterruptedException, ExecutionException, TimeoutException {
        Map<String, TopicDescription> topics =
                servers.admin().describeTopics(List.of(TOPIC)).allTopicNames().get(SECONDS, TimeUnit.SECONDS);
        return requireNonNull(topics.get(TOPIC)).partitions();
    }

    /** Waits until each replica of the topic is in sync again. */
    void awaitInSync() throws InterruptedException {
        await(
                "the replicas are not in sync",
                () -> partitions().stream()
                        .allMatch(partition ->
                                partition.isr().size() == partition.replicas().size()));
    }

    /** Waits until the database lets somebody in. */
    void awaitDatabase() throws InterruptedException {
        await("the database takes no connections", () -> {
            try (Connection connection = servers.dataSource().getConnection()) {
                return connection.isValid(SECONDS);
            } catch (SQLException e) {
                return false;
            }
        });
    }

    private static void await(String otherwise, Callable<Boolean> condition) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Exception last = null;
        while (System.nanoTime() - deadline < 0) {
            try {
                if (condition.call()) {
                    return;
                }
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                last = e; // the servers are hurt: that is what is waited for
            }
            Thread.sleep(200);
        }
        throw new IllegalStateException(otherwise + " after " + PATIENCE.toSeconds() + " s", last);
    }
}
