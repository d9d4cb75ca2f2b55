package dev.onceward.metrics;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.MeterNames;
import dev.onceward.config.ConfigurationException;
import dev.onceward.handler.FailureClass;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.DoubleSupplier;
import org.apache.kafka.common.TopicPartition;

/**
 * The meters of one runtime, as {@link MeterNames} lists them. Counters and timers of a topic are made when the topic is
 * first met and kept, so that counting a message builds no tags. Thread-safe.
 *
 * <p>Runtimes of different consumers may share a registry. Two runtimes of one consumer in one process need a registry
 * each: their meters have the same names and tags, so a registry would show the gauges of the first only, and lose all
 * when that one ends. So the second is refused.
 */
public final class RuntimeMeters implements AutoCloseable {

    /** Topics come from the routes a team registers; should a defect let others in, they share one series. */
    static final int MAX_TOPICS = 1_000;

    private static final String OTHER_TOPICS = "other";

    /** Which consumers a registry shows; weak, so that a registry can go. */
    private static final Map<MeterRegistry, Set<String>> SHOWN = new WeakHashMap<>(); // guarded by itself

    private final MeterRegistry registry;
    private final String consumer;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final Registrar registrar;
    private final Map<String, TopicMeters> topics = new ConcurrentHashMap<>();
    private final Map<TopicPartition, PartitionSeries> partitions = new ConcurrentHashMap<>();

    private final DistributionSummary groupSize;
    private final Timer transaction;
    private final Counter fenced;
    private final Counter unknownCommits;
    private final Counter contention;
    private final Counter cleanTakeovers;
    private final Counter uncleanTakeovers;
    private final Counter stuckHandlers;
    private final Counter clockSkew;
    private final Counter pruned;

    /**
     * Registers the meters that concern the whole runtime.
     *
     * @param registry where to; not closed with this
     * @param consumer logical consumer name, a tag of every meter
     * @throws ConfigurationException another runtime of this consumer, not closed yet, shows itself in this registry
     */
    public RuntimeMeters(MeterRegistry registry, String consumer) {
        this.registry = registry;
        this.consumer = consumer;
        requireAlone(registry, consumer);
        registrar = new Registrar(registry, consumer);
        groupSize = registrar.summary(MeterNames.GROUP_SIZE);
        transaction = registrar.timer(MeterNames.TRANSACTION);
        fenced = registrar.counter(MeterNames.FENCED);
        unknownCommits = registrar.counter(MeterNames.UNKNOWN_COMMITS);
        contention = registrar.counter(MeterNames.CONTENTION);
        cleanTakeovers = registrar.counter(MeterNames.TAKEOVERS, "CLEAN");
        uncleanTakeovers = registrar.counter(MeterNames.TAKEOVERS, "UNCLEAN");
        stuckHandlers = registrar.counter(MeterNames.HANDLERS_STUCK);
        clockSkew = registrar.counter(MeterNames.CLOCK_SKEW);
        pruned = registrar.counter(MeterNames.CLAIMS_PRUNED);
    }

    /** How a message was finished; the names are tag values and public API. */
    public enum Outcome {
        /** Its effect committed. */
        APPLIED,
        /** It had been processed before; nothing was done. */
        DUPLICATE,
        /** It was given up and stands in the dead-letter topic. */
        DEAD_LETTERED,
        /** Its id was used before for other content, and the settings say to skip such messages. */
        ID_REUSED_SKIPPED
    }

    /** Messages were finished. */
    public void finished(String topic, Outcome outcome, long count) {
        topic(topic).finished(outcome, count);
    }

    /**
     * A group committed.
     *
     * @param size number of messages
     * @param transactionNanos from the opening of its transaction to the answer of COMMIT
     */
    public void group(int size, long transactionNanos) {
        groupSize.record(size);
        transaction.record(transactionNanos, TimeUnit.NANOSECONDS);
    }

    /** A handler returned or threw after so long. */
    public void handlerTime(String topic, long nanos) {
        topic(topic).handlerTime(nanos);
    }

    /**
     * An effect committed.
     *
     * @param millis from the record's timestamp to now; a negative one is taken as 0 and counted as clock skew
     */
    public void endToEnd(String topic, long millis) {
        if (millis < 0) {
            clockSkew.increment();
        }
        topic(topic).endToEnd(Math.max(0, millis));
    }

    /** An attempt failed, whether it counts for its message or not. */
    public void attempt(String topic, FailureClass failure) {
        topic(topic).attemptFailed(failure);
    }

    /** A message took effect after at least one failed attempt. */
    public void retrySucceeded(String topic) {
        topic(topic).retrySucceeded();
    }

    /** A dead letter was acknowledged and recorded. */
    public void deadLetter(String topic, DeadLetterReason reason) {
        topic(topic).deadLetter(reason);
    }

    /** A dead letter could not be published and will be tried again. */
    public void deadLetterUnpublished(String topic) {
        topic(topic).deadLetterUnpublished();
    }

    /** Retention deleted records before they were processed. */
    public void recordsLost(String topic, long count) {
        topic(topic).recordsLost(count);
    }

    /** A transaction was refused because its partition has a newer generation. */
    public void fenced() {
        fenced.increment();
    }

    /** The answer to a COMMIT was lost. */
    public void unknownCommit() {
        unknownCommits.increment();
    }

    /** A transaction is run again after a conflict. */
    public void contention() {
        contention.increment();
    }

    /**
     * A partition was taken over.
     *
     * @param unclean whether the owner before had not released it
     */
    public void takeover(boolean unclean) {
        (unclean ? uncleanTakeovers : cleanTakeovers).increment();
    }

    /** A handler ignored its limit and its interrupt. */
    public void stuckHandler() {
        stuckHandlers.increment();
    }

    /** An age came out negative and was taken as 0. */
    public void clockSkew() {
        clockSkew.increment();
    }

    /** Claims were deleted after their retention. */
    public void pruned(long rows) {
        pruned.increment((double) rows);
    }

    /**
     * What a partition's gauges read at each scrape, on the scraping thread: must be thread-safe and must not block. A
     * value that is not known is {@link Double#NaN}, never 0.
     */
    public interface PartitionGauges {
        /** Now minus the timestamp of the oldest message not finished, in seconds; 0 when nothing waits. */
        double oldestAgeSeconds();

        /** Offsets from the watermark to the end of the partition. */
        double lag();

        /** Messages fetched and not finished. */
        int inFlight();
    }

    /** Shows a partition that this worker owns now. If it is shown already, the new gauges take the place of the old. */
    public void partition(String topic, int partition, PartitionGauges gauges) {
        partitions.compute(new TopicPartition(topic, partition), (key, shown) -> {
            if (shown == null) {
                return new PartitionSeries(registrar, topic, partition, gauges);
            }
            shown.show(gauges);
            return shown;
        });
    }

    /** Takes the series of a partition away: whoever owns it now shows its age. */
    public void partitionGone(String topic, int partition) {
        partitions.computeIfPresent(new TopicPartition(topic, partition), (key, shown) -> {
            shown.remove();
            return null;
        });
    }

    /** What the worker's gauges read at each scrape, on the scraping thread: must be thread-safe and must not block. */
    public interface WorkerGauges {
        /** Messages fetched and not finished. */
        double inFlightMessages();

        /** Their bytes. */
        double inFlightBytes();

        /** Partitions not fetched because of a bound. */
        double pausedPartitions();

        /** Ordering keys that wait for a retry. */
        double heldKeys();

        /** Lanes that are in a transaction now. */
        double busyLanes();

        /** Seconds since the last heartbeat that the database accepted; {@link Double#NaN} before the first. */
        double heartbeatAgeSeconds();

        /** 1 while consumption stands still because something is not there, else 0. */
        double outage();

        /** Number of the worker's state. */
        double state();
    }

    /** Shows the worker; once. */
    public void worker(WorkerGauges gauges) {
        registrar.gauge(MeterNames.IN_FLIGHT, gauges::inFlightMessages);
        registrar.gauge(MeterNames.IN_FLIGHT_BYTES, gauges::inFlightBytes);
        registrar.gauge(MeterNames.PARTITIONS_PAUSED, gauges::pausedPartitions);
        registrar.gauge(MeterNames.KEYS_HELD, gauges::heldKeys);
        registrar.gauge(MeterNames.LANES_BUSY, gauges::busyLanes);
        registrar.gauge(MeterNames.HEARTBEAT_AGE, gauges::heartbeatAgeSeconds);
        registrar.gauge(MeterNames.OUTAGE, gauges::outage);
        registrar.gauge(MeterNames.WORKER_STATE, gauges::state);
    }

    /**
     * Shows the size of one of Onceward's tables; once for each.
     *
     * @param table name without schema
     * @param bytes read at each scrape: a value looked up before, never a query
     */
    public void tableSize(String table, DoubleSupplier bytes) {
        registrar.gauge(MeterNames.TABLE_SIZE, bytes, table);
    }

    private static void requireAlone(MeterRegistry registry, String consumer) {
        synchronized (SHOWN) {
            if (!SHOWN.computeIfAbsent(registry, key -> new HashSet<>()).add(consumer)) {
                throw new ConfigurationException(List.of("meter registry: another runtime of the consumer " + consumer
                        + " shows its meters there, under the same names and tags: give each runtime of one consumer a"
                        + " registry of its own (with a common tag, if they are scraped together), or close that one"));
            }
        }
    }

    /** Takes every meter of this runtime out of the registry. What is counted afterwards is not shown. */
    @Override
    public void close() {
        registrar.close();
        if (closed.compareAndSet(false, true)) {
            synchronized (SHOWN) {
                SHOWN.getOrDefault(registry, Set.of()).remove(consumer);
            }
        }
    }

    private TopicMeters topic(String topic) {
        TopicMeters known = topics.get(topic);
        if (known != null) {
            return known;
        }
        String shown = topics.size() < MAX_TOPICS ? topic : OTHER_TOPICS;
        return topics.computeIfAbsent(shown, name -> new TopicMeters(registrar, name));
    }
}
