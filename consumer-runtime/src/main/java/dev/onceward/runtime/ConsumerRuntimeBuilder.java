package dev.onceward.runtime;

import dev.onceward.config.ConfigurationException;
import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.IdReuse;
import dev.onceward.config.Ordering;
import dev.onceward.config.RetryPolicy;
import dev.onceward.config.SettingsValidator;
import dev.onceward.config.StartPosition;
import dev.onceward.effect.Handling;
import dev.onceward.engine.Route;
import dev.onceward.engine.WorkerHandle;
import dev.onceward.handler.BatchHandler;
import dev.onceward.handler.FailureClassifier;
import dev.onceward.handler.MessageHandler;
import dev.onceward.handler.MessageIdExtractor;
import dev.onceward.handler.MessageIds;
import dev.onceward.message.RecordDecoder;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleConfig;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.kafka.common.serialization.Deserializer;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings and handlers of a {@link ConsumerRuntime}. Settings are checked by {@link #start}, all at once;
 * only a second handler for a topic is refused where it is given. Not thread-safe.
 */
public final class ConsumerRuntimeBuilder {
    private final String consumer;
    private final Map<String, Function<MessageIdExtractor, Route>> routes = new LinkedHashMap<>();
    private final Map<String, String> kafka = new HashMap<>();
    private @Nullable String groupId;
    private String schema = "public";
    private Ordering ordering = Ordering.KEY;
    private StartPosition startPosition = StartPosition.earliest();
    private IdReuse idReuse = IdReuse.DEAD_LETTER;
    private RetryPolicy retry = RetryPolicy.DEFAULT;
    private ConsumerSettings.Concurrency concurrency = ConsumerSettings.Concurrency.DEFAULT;
    private ConsumerSettings.Limits limits = ConsumerSettings.Limits.DEFAULT;
    private ConsumerSettings.Backpressure backpressure = ConsumerSettings.Backpressure.DEFAULT;
    private ConsumerSettings.Lease lease = ConsumerSettings.Lease.DEFAULT;
    private ConsumerSettings.Retention retention = ConsumerSettings.Retention.DEFAULT;
    private ConsumerSettings.DeadLetterTopics deadLetters = ConsumerSettings.DeadLetterTopics.DEFAULT;
    private boolean allowAsynchronousCommit;
    private ConsumerSettings.@Nullable DatabaseSettings database;
    private @Nullable DataSource dataSource;
    private MessageIdExtractor messageIds = MessageIds.standard();
    private @Nullable FailureClassifier failureClassifier;
    private java.time.Clock clock = java.time.Clock.systemUTC();
    private @Nullable MeterRegistry meterRegistry;
    private @Nullable String workerId;

    ConsumerRuntimeBuilder(String consumer) {
        this.consumer = consumer;
    }

    ConsumerRuntimeBuilder(ConsumerSettings settings) {
        this.consumer = settings.consumer();
        this.kafka.putAll(settings.kafka());
        this.groupId = settings.groupId();
        this.schema = settings.schema();
        this.ordering = settings.ordering();
        this.startPosition = settings.startPosition();
        this.idReuse = settings.idReuse();
        this.retry = settings.retry();
        this.concurrency = settings.concurrency();
        this.limits = settings.limits();
        this.backpressure = settings.backpressure();
        this.lease = settings.lease();
        this.retention = settings.retention();
        this.deadLetters = settings.deadLetters();
        this.allowAsynchronousCommit = settings.allowAsynchronousCommit();
        this.database = settings.database();
    }

    // ---- what is consumed, and by which handler ----

    /**
     * Handles the messages of a topic one by one.
     *
     * @param key shared by all lanes, so thread-safe, as Kafka's own deserialisers are
     * @param value as {@code key}
     * @throws IllegalArgumentException the topic has a handler already
     */
    public <K, V> ConsumerRuntimeBuilder handle(
            String topic, Deserializer<K> key, Deserializer<V> value, MessageHandler<K, V> handler) {
        return handleWith(topic, () -> key, () -> value, handler);
    }

    /**
     * As {@link #handle}, with deserialisers that are not thread-safe.
     *
     * @param key called once by each lane
     * @param value as {@code key}
     */
    public <K, V> ConsumerRuntimeBuilder handleWith(
            String topic,
            Supplier<? extends Deserializer<K>> key,
            Supplier<? extends Deserializer<V>> value,
            MessageHandler<K, V> handler) {
        @SuppressWarnings("unchecked") // its messages are decoded by the deserialisers of the same types
        MessageHandler<Object, Object> untyped = (MessageHandler<Object, Object>) handler;
        return route(topic, key, value, new Handling.Single(untyped));
    }

    /** Handles the messages of a topic in groups; see {@link #handle} for the deserialisers. */
    public <K, V> ConsumerRuntimeBuilder handleBatch(
            String topic, Deserializer<K> key, Deserializer<V> value, BatchHandler<K, V> handler) {
        return handleBatchWith(topic, () -> key, () -> value, handler);
    }

    /** As {@link #handleBatch}, with deserialisers that are not thread-safe. */
    public <K, V> ConsumerRuntimeBuilder handleBatchWith(
            String topic,
            Supplier<? extends Deserializer<K>> key,
            Supplier<? extends Deserializer<V>> value,
            BatchHandler<K, V> handler) {
        @SuppressWarnings("unchecked") // as above
        BatchHandler<Object, Object> untyped = (BatchHandler<Object, Object>) handler;
        return route(topic, key, value, new Handling.Batch(untyped));
    }

    private ConsumerRuntimeBuilder route(
            String topic,
            Supplier<? extends Deserializer<?>> key,
            Supplier<? extends Deserializer<?>> value,
            Handling handling) {
        Function<MessageIdExtractor, Route> before =
                routes.put(topic, ids -> new Route(topic, new RecordDecoder(consumer, ids, key, value), handling));
        if (before != null) {
            throw new IllegalArgumentException("topic " + topic + " has a handler already; a topic has one");
        }
        return this;
    }

    /** Where message ids come from; default {@link MessageIds#standard}: header {@code message-id}, then CloudEvents. */
    public ConsumerRuntimeBuilder messageIds(MessageIdExtractor extractor) {
        this.messageIds = extractor;
        return this;
    }

    // ---- the two servers ----

    /** Kafka's {@code bootstrap.servers}. */
    public ConsumerRuntimeBuilder bootstrapServers(String servers) {
        return kafka("bootstrap.servers", servers);
    }

    /**
     * A property for the Kafka clients. {@code consumer.}, {@code producer.} and {@code admin.} before its name reach one
     * client only. Those that would break a guarantee are refused at {@link #start}.
     */
    public ConsumerRuntimeBuilder kafka(String property, String value) {
        kafka.put(property, value);
        return this;
    }

    /** As {@link #kafka(String, String)}, several. */
    public ConsumerRuntimeBuilder kafka(Map<String, String> properties) {
        kafka.putAll(properties);
        return this;
    }

    /** A pool made by the runtime and closed with it: one connection for each lane, four beside them, and
     * one for each handler that may get stuck ({@code limits.max-stuck-handlers}). */
    public ConsumerRuntimeBuilder database(String url, @Nullable String user, @Nullable String password) {
        this.database = new ConsumerSettings.DatabaseSettings(url, user, password);
        return this;
    }

    /**
     * The team's own pool, left open at the end. It needs a connection for each lane and four beside them; its
     * connections must unwrap to the PostgreSQL driver's, as HikariCP's do.
     */
    public ConsumerRuntimeBuilder dataSource(DataSource pool) {
        this.dataSource = pool;
        return this;
    }

    // ---- settings; see ConsumerSettings for meaning, ranges and defaults ----

    /** Kafka group id; default: the consumer's name. */
    public ConsumerRuntimeBuilder groupId(String id) {
        this.groupId = id;
        return this;
    }

    /** Schema of Onceward's tables; default {@code public}. */
    public ConsumerRuntimeBuilder schema(String name) {
        this.schema = name;
        return this;
    }

    /** Which messages take effect in offset order; default {@link Ordering#KEY}. */
    public ConsumerRuntimeBuilder ordering(Ordering order) {
        this.ordering = order;
        return this;
    }

    /** Where to begin in a partition never seen before; default {@link StartPosition#earliest}. */
    public ConsumerRuntimeBuilder startFrom(StartPosition position) {
        this.startPosition = position;
        return this;
    }

    /** What to do with an id that comes back with another payload; default {@link IdReuse#DEAD_LETTER}. */
    public ConsumerRuntimeBuilder idReuse(IdReuse rule) {
        this.idReuse = rule;
        return this;
    }

    /** Bounds of retries; default {@link RetryPolicy#DEFAULT}. */
    public ConsumerRuntimeBuilder retry(RetryPolicy policy) {
        this.retry = policy;
        return this;
    }

    /** Threads and groups. */
    public ConsumerRuntimeBuilder concurrency(ConsumerSettings.Concurrency settings) {
        this.concurrency = settings;
        return this;
    }

    /** Bounds of time. */
    public ConsumerRuntimeBuilder limits(ConsumerSettings.Limits settings) {
        this.limits = settings;
        return this;
    }

    /** Bounds of what is in flight. */
    public ConsumerRuntimeBuilder backpressure(ConsumerSettings.Backpressure settings) {
        this.backpressure = settings;
        return this;
    }

    /** Heartbeats. */
    public ConsumerRuntimeBuilder lease(ConsumerSettings.Lease settings) {
        this.lease = settings;
        return this;
    }

    /** How long claims are kept. */
    public ConsumerRuntimeBuilder retention(ConsumerSettings.Retention settings) {
        this.retention = settings;
        return this;
    }

    /** Names of dead-letter and replay topics. */
    public ConsumerRuntimeBuilder deadLetters(ConsumerSettings.DeadLetterTopics settings) {
        this.deadLetters = settings;
        return this;
    }

    /** Creates missing dead-letter and replay topics at start; default: only check that they exist. */
    public ConsumerRuntimeBuilder createTopics(ConsumerSettings.TopicCreation creation) {
        this.deadLetters = new ConsumerSettings.DeadLetterTopics(
                deadLetters.topicPattern(), deadLetters.replayTopicPattern(), creation);
        return this;
    }

    /** Accepts {@code synchronous_commit} off or local: an acknowledged effect can then be lost. */
    public ConsumerRuntimeBuilder allowAsynchronousCommit() {
        this.allowAsynchronousCommit = true;
        return this;
    }

    /** The team's own word on failures, before the built-in rules. */
    public ConsumerRuntimeBuilder failureClassifier(FailureClassifier classifier) {
        this.failureClassifier = classifier;
        return this;
    }

    /**
     * Where meters are registered; default: a registry that nobody reads. Runtimes of different consumers may share one;
     * of two runtimes of one consumer in one registry the second is refused at start, since their meters have the same
     * names and tags.
     */
    public ConsumerRuntimeBuilder meterRegistry(MeterRegistry registry) {
        this.meterRegistry = registry;
        return this;
    }

    /**
     * A name for this worker, unique among its consumer's, 1 to 100 characters, not blank, no control characters;
     * default: host name and random characters.
     */
    public ConsumerRuntimeBuilder workerId(String id) {
        this.workerId = id;
        return this;
    }

    /**
     * The wall clock: for the ages of messages and the times written into dead letters, and for nothing that decides
     * who owns a partition or whether a worker lives. Default: that of the machine, which is what production wants; tests
     * set one.
     *
     * @param wall asked from several threads
     */
    public ConsumerRuntimeBuilder clock(java.time.Clock wall) {
        this.clock = wall;
        return this;
    }

    /**
     * Checks the settings, the schema and the topics, joins the group, and returns the running runtime. A database or
     * cluster that is not there is waited for.
     *
     * @throws ConfigurationException what cannot work: every problem at once, each with its key
     * @throws dev.onceward.migrations.SchemaVersionException tables missing, older or newer; says what to run
     */
    public ConsumerRuntime start() {
        ConsumerSettings settings = settings();
        check(settings);
        String host = hostName();
        String worker = workerId != null ? workerId : WorkerIds.random(host);
        OwnedPool pool = pool(settings, worker);
        boolean started = false;
        try {
            Map<String, Route> made = new LinkedHashMap<>();
            routes.forEach((topic, route) -> made.put(topic, route.apply(messageIds)));
            WorkerHandle handle = new WorkerHandle(
                    settings, made, failureClassifier, registry(), pool.dataSource(), clock, worker, host, version());
            ConsumerRuntime runtime =
                    new ConsumerRuntime(handle, pool, worker, settings.limits().shutdown());
            runtime.start();
            started = true;
            return runtime;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while starting", e);
        } finally {
            if (!started) {
                pool.close();
            }
        }
    }

    private ConsumerSettings settings() {
        return new ConsumerSettings(
                consumer,
                Objects.requireNonNullElse(groupId, consumer),
                schema,
                ordering,
                startPosition,
                idReuse,
                retry,
                concurrency,
                limits,
                backpressure,
                lease,
                retention,
                deadLetters,
                allowAsynchronousCommit,
                database,
                Map.copyOf(kafka));
    }

    /** Everything at once: a team should not have to start five times to learn of five mistakes. */
    private void check(ConsumerSettings settings) {
        List<String> problems = new ArrayList<>();
        if (routes.isEmpty()) {
            problems.add("handlers: there are none; call handle(topic, ...) or handleBatch(topic, ...)");
        }
        if ((settings.database() == null) == (dataSource == null)) {
            problems.add("onceward.database.url: give either database(...), for a pool made here, or dataSource(...)");
        }
        if (workerId != null) {
            WorkerIds.problem(workerId).ifPresent(problems::add);
        }
        try {
            SettingsValidator.check(settings, routes.keySet());
        } catch (ConfigurationException e) {
            problems.addAll(e.problems());
        }
        if (!problems.isEmpty()) {
            throw new ConfigurationException(problems);
        }
    }

    private OwnedPool pool(ConsumerSettings settings, String worker) {
        DataSource team = dataSource;
        if (team != null) {
            return OwnedPool.ofTeam(team);
        }
        return OwnedPool.make(settings, Objects.requireNonNull(settings.database(), "checked"), worker);
    }

    private MeterRegistry registry() {
        return meterRegistry != null ? meterRegistry : new SimpleMeterRegistry(SimpleConfig.DEFAULT, Clock.SYSTEM);
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            return "unknown-host";
        }
    }

    private static String version() {
        String version = ConsumerRuntimeBuilder.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
