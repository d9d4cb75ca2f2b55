package dev.onceward.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;

/**
 * The straight path begins here: one thread polls, registers each record in its partition's window, hands it to a lane,
 * and commits watermarks. It alone touches the Kafka consumer; whatever others find out reaches it as a posted task.
 *
 * <p>It polls all the time, with partitions paused where a bound is reached: a slow handler or an absent database never
 * makes the worker leave its group.
 */
final class PollLoop implements Runnable {
    private static final Duration BUSY = Duration.ofMillis(10);
    private static final Duration IDLE = Duration.ofMillis(100);

    private final Consumer<byte[], byte[]> consumer;
    private final Collection<String> topics;
    private final Partitions partitions;
    private final Assignment assignment;
    private final Dispatcher dispatcher;
    private final Backpressure backpressure;
    private final OffsetCommitter committer;
    private final PollTrouble trouble;
    private final PollWatch watch;
    private final BooleanSupplier running;
    private final Queue<Runnable> posted = new ConcurrentLinkedQueue<>();

    PollLoop(
            Consumer<byte[], byte[]> consumer,
            Collection<String> topics,
            Partitions partitions,
            Assignment assignment,
            Dispatcher dispatcher,
            Backpressure backpressure,
            OffsetCommitter committer,
            PollTrouble trouble,
            PollWatch watch,
            BooleanSupplier running) {
        this.consumer = consumer;
        this.topics = topics;
        this.partitions = partitions;
        this.assignment = assignment;
        this.dispatcher = dispatcher;
        this.backpressure = backpressure;
        this.committer = committer;
        this.trouble = trouble;
        this.watch = watch;
        this.running = running;
    }

    /** Polls until told to stop; throws what it cannot go on after. */
    @Override
    public void run() {
        consumer.subscribe(topics, assignment);
        while (running.getAsBoolean()) {
            watch.round();
            runPosted();
            backpressure.apply();
            dispatcher.deliver(poll());
            committer.commitIfDue();
        }
    }

    /** Runs a task on the poll thread, soon. */
    void post(Runnable task) {
        posted.add(task);
    }

    /** Runs what was posted. Poll thread only. */
    void runPosted() {
        for (Runnable task = posted.poll(); task != null; task = posted.poll()) {
            task.run();
        }
    }

    private ConsumerRecords<byte[], byte[]> poll() {
        try {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(partitions.inFlight() > 0 ? BUSY : IDLE);
            trouble.over();
            return records;
        } catch (OffsetOutOfRangeException e) {
            outOfRange(e);
        } catch (KafkaException e) {
            trouble.failed(e);
        }
        return ConsumerRecords.empty();
    }

    /** Thrown by the next poll again, if it could not be dealt with now. */
    private void outOfRange(OffsetOutOfRangeException positions) {
        try {
            assignment.outOfRange(positions.offsetOutOfRangePartitions());
        } catch (KafkaException e) {
            trouble.failed(e);
        }
    }
}
