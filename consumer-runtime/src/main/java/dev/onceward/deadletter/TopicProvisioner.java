package dev.onceward.deadletter;

import dev.onceward.catalog.EventNames;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.ConsumerSettings.Retention;
import dev.onceward.config.ConsumerSettings.TopicCreation;
import dev.onceward.deadletter.TopicAdmin.Described;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sees to it at start that the topics of a consumer exist and fit: source topics, a dead-letter topic for each, the
 * replay topic and the dead-letter topic of that one. Not thread-safe; several workers may start at the same time.
 */
public final class TopicProvisioner {

    private static final Logger LOG = LoggerFactory.getLogger(TopicProvisioner.class);
    private static final Duration GRACE = Duration.ofSeconds(2);
    private static final long POLL_MILLIS = 50;

    private final TopicAdmin admin;
    private final Duration timeout;

    /**
     * Uses an admin client, and leaves it open.
     *
     * @param admin needs DESCRIBE on the topics; CREATE to create, DESCRIBE_CONFIGS to check retention
     * @param timeout bound of each single question to the cluster, and of the wait for new topics to be seen
     */
    public TopicProvisioner(Admin admin, Duration timeout) {
        this.admin = new TopicAdmin(admin, timeout);
        this.timeout = timeout;
    }

    /**
     * Creates what is missing, if the settings say so, and checks the rest.
     *
     * @param sourceTopics what the consumer reads, without its replay topic
     * @return what is not as it should be, though it works; logged too
     * @throws dev.onceward.config.ConfigurationException every problem at once: topic missing, name not legal, not authorised, refused by
     *     the cluster, retention too long where the settings say to refuse that
     * @throws KafkaException the cluster cannot be asked now
     */
    public List<String> provision(ConsumerSettings settings, Collection<String> sourceTopics) {
        TopicPlan plan = TopicPlan.of(settings, sourceTopics);
        TopicReport report = new TopicReport(plan);
        TopicCreation creation = settings.deadLetters().create();
        Predicate<String> mayBeMissing = creation == null
                ? plan::isOnlyForUnroutable
                : topic -> !plan.sources().contains(topic);
        Described described = describe(plan.all(), mayBeMissing);
        report.absent(described);

        Set<String> there = new TreeSet<>(described.existing().keySet());
        Set<String> missing = new TreeSet<>(described.missing());
        missing.removeAll(plan.sources());
        if (creation == null) {
            report.missing(missing);
        } else if (!report.hasProblems() && !missing.isEmpty()) {
            there.addAll(create(plan, described, missing, creation, report));
        }
        check(plan, there, settings.retention(), report);
        return report.result();
    }

    /**
     * Kafka's ids of topics: another one after a topic was deleted and made again.
     *
     * @throws UnknownTopicOrPartitionException one does not exist
     * @throws TopicAuthorizationException one may not be described
     * @throws KafkaException the cluster cannot be asked now
     */
    public Map<String, UUID> topicIds(Collection<String> topics) {
        Described described = describe(topics, topic -> false);
        if (!described.unauthorised().isEmpty()) {
            throw new TopicAuthorizationException(described.unauthorised());
        }
        if (!described.missing().isEmpty()) {
            throw new UnknownTopicOrPartitionException("no such topics: " + described.missing());
        }
        Map<String, UUID> ids = new TreeMap<>();
        described.existing().forEach((topic, description) -> ids.put(topic, uuid(description.topicId())));
        return ids;
    }

    /** Kafka's id as the JDK and PostgreSQL have it: the same 128 bits. */
    public static UUID uuid(Uuid id) {
        return new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** Asks again for a while: a topic made just before the service starts is not known to every broker at once. */
    private Described describe(Collection<String> topics, Predicate<String> mayBeMissing) {
        long start = System.nanoTime();
        while (true) {
            Described described = admin.describe(topics);
            boolean complete = described.missing().stream().allMatch(mayBeMissing);
            if (complete || System.nanoTime() - start > GRACE.toNanos()) {
                return described;
            }
            pause();
        }
    }

    private Set<String> create(
            TopicPlan plan, Described described, Set<String> missing, TopicCreation creation, TopicReport report) {
        Map<String, TopicSettings> sources = admin.settings(plan.sources()).known();
        NewTopics newTopics = new NewTopics(plan, described.existing(), sources, creation);
        Map<String, KafkaException> failures =
                admin.create(missing.stream().map(newTopics::of).toList());
        failures.forEach((topic, failure) -> report.problem(newTopics.explain(topic, failure)));
        Set<String> created = new TreeSet<>(missing);
        created.removeAll(failures.keySet());
        awaitVisible(created);
        created.forEach(topic -> LOG.atInfo()
                .addKeyValue(EventNames.KEY, EventNames.TOPIC_CREATED)
                .addKeyValue("topic", topic)
                .log(plan.role(topic) + " was missing and is there now"));
        return created;
    }

    /** The controller has them, but another broker may not know yet, and a consumer or producer would be refused. */
    private void awaitVisible(Set<String> topics) {
        long start = System.nanoTime();
        Set<String> missing = topics.isEmpty() ? topics : admin.describe(topics).missing();
        while (!missing.isEmpty()) {
            if (System.nanoTime() - start > timeout.toNanos()) {
                throw new TimeoutException("topics were created but not seen within " + timeout + ": " + missing);
            }
            pause();
            missing = admin.describe(missing).missing();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(POLL_MILLIS);
        } catch (InterruptedException e) {
            throw new InterruptException(e);
        }
    }

    private void check(TopicPlan plan, Set<String> topics, Retention retention, TopicReport report) {
        TopicAdmin.Settings settings = admin.settings(topics);
        TopicChecks.suitability(plan, settings.known())
                .forEach(text -> report.finding(EventNames.TOPIC_UNSUITABLE, text));
        List<String> unsafe = new ArrayList<>(TopicChecks.retention(plan, settings.known(), retention.claims()));
        new TopicProblems(plan).unreadable(settings.unauthorised()).ifPresent(unsafe::add);
        for (String text : unsafe) {
            if (retention.check() == Retention.Check.REFUSE) {
                report.problem(text);
            } else {
                report.finding(EventNames.RETENTION_SHORT, text);
            }
        }
    }
}
