package dev.onceward.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.CreateTopicsOptions;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** Kafka's admin client with bounded waits and answers topic by topic. */
final class TopicAdmin {
    private final Admin admin;
    private final int timeoutMillis;

    TopicAdmin(Admin admin, Duration timeout) {
        this.admin = admin;
        this.timeoutMillis = (int) Math.min(Integer.MAX_VALUE / 2, Math.max(1, timeout.toMillis()));
    }

    /**
     * What the cluster says of some topics.
     *
     * @param existing those that exist
     * @param missing those that do not
     * @param unauthorised those that this principal may not describe
     */
    record Described(Map<String, TopicDescription> existing, Set<String> missing, Set<String> unauthorised) {}

    Described describe(Collection<String> topics) {
        var futures = admin.describeTopics(topics, new DescribeTopicsOptions().timeoutMs(timeoutMillis))
                .topicNameValues();
        Described described = new Described(new TreeMap<>(), new TreeSet<>(), new TreeSet<>());
        futures.forEach((topic, future) -> {
            try {
                described.existing().put(topic, get(future));
            } catch (UnknownTopicOrPartitionException e) {
                described.missing().add(topic);
            } catch (AuthorizationException e) {
                described.unauthorised().add(topic);
            }
        });
        return described;
    }

    /**
     * The settings of some topics.
     *
     * @param known of those that could be read
     * @param unauthorised those that this principal may not read
     */
    record Settings(Map<String, TopicSettings> known, Set<String> unauthorised) {}

    Settings settings(Collection<String> topics) {
        List<ConfigResource> resources = new ArrayList<>();
        topics.forEach(topic -> resources.add(new ConfigResource(ConfigResource.Type.TOPIC, topic)));
        Map<ConfigResource, KafkaFuture<Config>> futures = admin.describeConfigs(
                        resources, new DescribeConfigsOptions().timeoutMs(timeoutMillis))
                .values();
        Settings settings = new Settings(new TreeMap<>(), new TreeSet<>());
        futures.forEach((resource, future) -> {
            try {
                settings.known().put(resource.name(), TopicSettings.of(get(future)));
            } catch (AuthorizationException e) {
                settings.unauthorised().add(resource.name());
            } catch (UnknownTopicOrPartitionException e) {
                // deleted meanwhile, or so new that this broker has not heard of it: nothing to check
            }
        });
        return settings;
    }

    /**
     * Creates topics. That somebody else was first is as good.
     *
     * @return why those failed that did
     */
    Map<String, KafkaException> create(Collection<NewTopic> topics) {
        var futures = admin.createTopics(topics, new CreateTopicsOptions().timeoutMs(timeoutMillis))
                .values();
        Map<String, KafkaException> failures = new TreeMap<>();
        futures.forEach((topic, future) -> {
            try {
                get(future);
            } catch (TopicExistsException e) {
                // another worker of this consumer, starting at the same time
            } catch (KafkaException e) {
                failures.put(topic, e);
            }
        });
        return failures;
    }

    private <T> T get(KafkaFuture<T> future) {
        try {
            // The client ends its own calls by timeoutMillis; this is for one that does not.
            return future.get(2L * timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof KafkaException known ? known : new KafkaException(e.getCause());
        } catch (TimeoutException e) {
            throw new org.apache.kafka.common.errors.TimeoutException(
                    "Kafka's admin client did not answer within " + 2L * timeoutMillis + " ms", e);
        } catch (InterruptedException e) {
            throw new InterruptException(e); // sets the flag again
        }
    }
}
