package dev.onceward.dlq.topic;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.People;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.PayloadHash;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/**
 * Reads the payloads of letters from the dead-letter topics, at the coordinates that the index names. Letters come in
 * their original order, their copies lie in the order in which they were given up: nearly the same, so a topic is read
 * forward, what was read is kept for a while, and a seek is the exception. For one thread.
 */
public final class LetterReader implements AutoCloseable {
    /** From so many offsets on a seek is cheaper than reading what lies between. */
    private static final long FAR = 2_000;

    private static final Duration POLL = Duration.ofMillis(500);
    private static final long PATIENCE_NANOS = Duration.ofSeconds(30).toNanos();

    private final Connections connections;
    private final Consumer<byte[], byte[]> consumer;
    private final RecordCache cache = new RecordCache();
    private final Map<TopicPartition, NavigableSet<Long>> expected = new HashMap<>();
    private final Map<TopicPartition, Extent> extents = new HashMap<>();
    private final Map<String, Integer> partitions = new HashMap<>();
    private @Nullable TopicPartition current;

    /** With a consumer of its own. */
    public LetterReader(Connections connections) {
        this.connections = connections;
        connections.admin(); // a consumer waits for ever where there is no Kafka
        this.consumer = connections.newConsumer();
    }

    /** Tells which letters will be asked for soon, so that one pass over the topic serves them all. */
    public void expect(List<Letter> letters) {
        expected.clear();
        for (Letter letter : letters) {
            Coordinates copy = letter.copy();
            if (copy != null) {
                expected.computeIfAbsent(partition(copy), key -> new TreeSet<>())
                        .add(copy.offset());
            }
        }
    }

    /**
     * The copy that the index names, if it is there and is the copy of this letter.
     *
     * @throws CannotConnectException Kafka does not answer
     */
    public Payload read(Letter letter) {
        Instant erased = letter.history().erasedAt();
        if (erased != null) {
            // The copy may still be there, until retention or compaction removes it: it is not to be seen again.
            return new Payload.Missing("its data were erased at " + People.instant(erased));
        }
        Coordinates wanted = letter.copy();
        if (wanted == null) {
            return new Payload.Missing(
                    letter.failure().reason().equals("PAYLOAD_LOST")
                            ? "its payload was lost: the record left Kafka before it was published"
                            : "it is not in the dead-letter topic yet");
        }
        try {
            ConsumerRecord<byte[], byte[]> copy = find(wanted);
            if (copy == null) {
                return new Payload.Missing("there is no record at " + wanted
                        + " any more: gone by the retention of the dead-letter topic, or the topic was made again");
            }
            return verified(letter, copy);
        } catch (UnknownTopicOrPartitionException e) {
            return new Payload.Missing(
                    "it was at " + wanted + ", which does not exist any more: the topic was deleted, or made again");
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        }
    }

    /**
     * The record at these coordinates, whatever it is; {@code null} if there is none.
     *
     * @throws CannotConnectException Kafka does not answer
     */
    @Nullable
    ConsumerRecord<byte[], byte[]> at(Coordinates wanted) {
        try {
            return find(wanted);
        } catch (UnknownTopicOrPartitionException e) {
            return null;
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        }
    }

    /** Whether the copy is gone for certain; asks only what a topic's partition holds, and reads nothing. */
    public boolean isGone(Letter letter) {
        Coordinates copy = letter.copy();
        if (copy == null) {
            return true;
        }
        try {
            Extent extent = extents.computeIfAbsent(partition(copy), this::extent);
            return copy.offset() < extent.beginning() || copy.offset() >= extent.end();
        } catch (UnknownTopicOrPartitionException e) {
            return true;
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        }
    }

    @Override
    public void close() {
        consumer.close(CloseOptions.timeout(Duration.ofSeconds(1)));
    }

    private @Nullable ConsumerRecord<byte[], byte[]> find(Coordinates wanted) {
        TopicPartition partition = partition(wanted);
        ConsumerRecord<byte[], byte[]> cached = cache.get(partition, wanted.offset());
        if (cached != null) {
            return cached;
        }
        Extent extent = extents.computeIfAbsent(partition, this::extent);
        if (extent.end() <= wanted.offset()) {
            extent = refreshed(partition); // it has grown since
        }
        while (wanted.offset() >= extent.beginning() && wanted.offset() < extent.end()) {
            try {
                goTo(partition, wanted.offset(), extent.beginning());
                return readOn(partition, wanted.offset());
            } catch (OffsetOutOfRangeException e) {
                // Retention was quicker, or the topic was made again: with what is left now, the record may still be
                // there.
                current = null;
                extent = refreshed(partition);
            }
        }
        return null;
    }

    private @Nullable ConsumerRecord<byte[], byte[]> readOn(TopicPartition partition, long wanted) {
        // Not only from the cache: what a poll returns may be more than it holds.
        ConsumerRecord<byte[], byte[]> found = null;
        long position = consumer.position(partition);
        long moved = System.nanoTime();
        while (position <= wanted) {
            for (ConsumerRecord<byte[], byte[]> record : consumer.poll(POLL)) {
                cache.put(record);
                found = record.offset() == wanted ? record : found;
            }
            long before = position;
            position = consumer.position(partition);
            if (position != before) {
                moved = System.nanoTime();
            } else if (System.nanoTime() - moved > PATIENCE_NANOS) {
                partitions.remove(partition.topic());
                requireExists(partition); // a consumer says nothing of a topic that was deleted under it
                throw new CannotConnectException(
                        "Kafka at " + connections.kafkaAddress() + " gave no record of " + partition + " within "
                                + Duration.ofNanos(PATIENCE_NANOS).toSeconds() + " s",
                        null);
            }
        }
        return found;
    }

    /** Stands where reading on meets the offset, and before it what will be asked for next, soon. */
    private void goTo(TopicPartition partition, long wanted, long beginning) {
        if (!partition.equals(current)) {
            consumer.assign(List.of(partition));
            current = partition;
            seek(partition, wanted, beginning);
            return;
        }
        long position = consumer.position(partition);
        if (position > wanted || wanted - position > FAR) {
            seek(partition, wanted, beginning);
        }
    }

    private void seek(TopicPartition partition, long wanted, long beginning) {
        Long first = expected.getOrDefault(partition, new TreeSet<>()).ceiling(wanted - FAR);
        long start = first == null || cache.get(partition, first) != null ? wanted : Math.min(first, wanted);
        consumer.seek(partition, Math.max(start, beginning));
    }

    private Extent refreshed(TopicPartition partition) {
        Extent extent = extent(partition);
        extents.put(partition, extent);
        return extent;
    }

    private Extent extent(TopicPartition partition) {
        requireExists(partition);
        List<TopicPartition> one = List.of(partition);
        return new Extent(
                Objects.requireNonNull(consumer.beginningOffsets(one).get(partition)),
                Objects.requireNonNull(consumer.endOffsets(one).get(partition)));
    }

    /** A consumer would look for what does not exist until its timeout, and report a broker that does not answer. */
    private void requireExists(TopicPartition partition) {
        int count = partitions.computeIfAbsent(partition.topic(), this::count);
        if (partition.partition() >= count) {
            throw new UnknownTopicOrPartitionException(partition + " does not exist");
        }
    }

    private int count(String topic) {
        return Objects.requireNonNull(connections
                        .await(connections
                                .admin()
                                .describeTopics(List.of(topic))
                                .allTopicNames())
                        .get(topic))
                .partitions()
                .size();
    }

    private static Payload verified(Letter letter, ConsumerRecord<byte[], byte[]> copy) {
        if (PayloadHash.of(copy.value()) != letter.record().payloadHash()) {
            return new Payload.Missing("the record at " + letter.copy()
                    + " has another payload: it is not the copy that the index names; was the topic made again?");
        }
        Coordinates origin = letter.origin().coordinates();
        boolean same = agrees(copy, HeaderNames.ERRORS_TOPIC, origin.topic())
                && agrees(copy, HeaderNames.ERRORS_PARTITION, String.valueOf(origin.partition()))
                && agrees(copy, HeaderNames.ERRORS_OFFSET, String.valueOf(origin.offset()));
        return same
                ? new Payload.Found(copy)
                : new Payload.Missing("the record at " + letter.copy()
                        + " tells of another message: it is not the copy that the index names");
    }

    /** A record that was nearly too large was published without these headers. */
    private static boolean agrees(ConsumerRecord<byte[], byte[]> copy, HeaderNames name, String expected) {
        Header header = copy.headers().lastHeader(name.key());
        return header == null
                || (header.value() != null && new String(header.value(), StandardCharsets.UTF_8).equals(expected));
    }

    private static TopicPartition partition(Coordinates copy) {
        return new TopicPartition(copy.topic(), copy.partition());
    }

    /** What a partition holds: from one offset to before another. */
    private record Extent(long beginning, long end) {}
}
