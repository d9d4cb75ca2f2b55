package dev.onceward.testsupport.guarantees;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/**
 * Nothing is left of workers that have ended: no thread in this process, no connection of their database, no series.
 * Compares with what was there {@linkplain #since before they started}. Connections are those that the server has: those
 * of a pooler, where one stands before it.
 */
public final class NothingLeaks implements Guarantee {
    private static final String CONNECTIONS = "SELECT count(*) FROM pg_stat_activity"
            + " WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()";
    /** Sockets and threads end a moment after whoever owned them. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final long PAUSE_NANOS = Duration.ofMillis(50).toNanos();

    private final ObservedConsumer consumer;
    private final Set<Long> threads;
    private final long connections;
    private final Map<String, LongSupplier> counted = new LinkedHashMap<>();
    private final Map<String, Long> counts = new LinkedHashMap<>();

    private NothingLeaks(ObservedConsumer consumer) {
        this.consumer = consumer;
        this.threads = ours().keySet();
        this.connections = connections();
    }

    /** Remembers what is there now: to be called before the workers start, while nobody else uses the database. */
    public static NothingLeaks since(ObservedConsumer consumer) {
        return new NothingLeaks(consumer);
    }

    /** Also this may not be more at the end than it is now: the number of series of a registry, say. */
    public NothingLeaks counting(String name, LongSupplier count) {
        counted.put(name, count);
        counts.put(name, count.getAsLong());
        return this;
    }

    @Override
    public Finding check() {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Finding finding = look();
        while (!finding.held() && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(PAUSE_NANOS);
            finding = look();
        }
        return finding;
    }

    private Finding look() {
        Tally tally = new Tally("NothingLeaks");
        tally.checked(2L + counted.size());
        ours().forEach((id, name) -> {
            if (!threads.contains(id)) {
                tally.violation("thread " + name + " still runs");
            }
        });
        long now = connections();
        if (now > connections) {
            tally.violation(now + " connections to the database, of " + connections + " before");
        }
        counted.forEach((name, count) -> {
            long left = count.getAsLong();
            if (left > counts.getOrDefault(name, 0L)) {
                tally.violation(left + " " + name + ", of " + counts.get(name) + " before");
            }
        });
        return tally.finding();
    }

    /** Threads of Onceward and of Kafka's clients, by number. */
    private static Map<Long, String> ours() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("onceward")
                        || thread.getName().startsWith("kafka-producer-network-thread")
                        || thread.getName().startsWith("kafka-coordinator-heartbeat-thread")
                        || thread.getName().startsWith("consumer_background_thread"))
                .collect(Collectors.toMap(Thread::getId, Thread::getName));
    }

    private long connections() {
        try (Queries database = new Queries(consumer)) {
            return database.count(CONNECTIONS);
        }
    }
}
