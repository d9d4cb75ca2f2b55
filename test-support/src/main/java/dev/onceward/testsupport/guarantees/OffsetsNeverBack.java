package dev.onceward.testsupport.guarantees;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/**
 * The offset that a group commits for a partition never goes backwards: read from the broker's own log of all commits,
 * {@code __consumer_offsets}. A commit that was deleted (expired, or the topic was) begins anew. Compaction of that topic
 * takes old commits away: meant for runs of minutes or hours.
 */
public final class OffsetsNeverBack implements Guarantee {
    private static final String TOPIC = "__consumer_offsets";
    /** Versions 0 and 1 of a key are those of commits: group, topic, partition. */
    private static final int LAST_COMMIT_KEY = 1;

    private final ObservedConsumer consumer;
    private final Set<TopicPartition> exempt;

    private OffsetsNeverBack(ObservedConsumer consumer, Set<TopicPartition> exempt) {
        this.consumer = consumer;
        this.exempt = Set.copyOf(exempt);
    }

    /** Of all partitions of the consumer's group. The principal must be allowed to read the broker's own topic. */
    public static OffsetsNeverBack of(ObservedConsumer consumer) {
        return new OffsetsNeverBack(consumer, Set.of());
    }

    /** The same without partitions that somebody has reset on purpose. */
    public OffsetsNeverBack except(TopicPartition... partitions) {
        Set<TopicPartition> more = new HashSet<>(exempt);
        more.addAll(List.of(partitions));
        return new OffsetsNeverBack(consumer, more);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("OffsetsNeverBack");
        Map<TopicPartition, Long> last = new HashMap<>();
        // All commits of a group are in one partition of the topic, in the order in which the broker took them.
        new TopicScan(consumer)
                .read(
                        List.of(TOPIC),
                        record -> partition(record)
                                .filter(partition -> !exempt.contains(partition))
                                .ifPresent(partition -> {
                                    if (record.value() == null) {
                                        last.remove(partition);
                                        return;
                                    }
                                    long offset =
                                            ByteBuffer.wrap(record.value()).getLong(Short.BYTES);
                                    Long before = last.put(partition, offset);
                                    tally.checked(1);
                                    if (before != null && before > offset) {
                                        tally.violation(partition + " went back from " + before + " to " + offset + " ("
                                                + TOPIC + "-" + record.partition() + "@" + record.offset() + ")");
                                    }
                                }));
        return tally.finding();
    }

    private Optional<TopicPartition> partition(ConsumerRecord<byte[], byte[]> record) {
        ByteBuffer key = ByteBuffer.wrap(record.key());
        try {
            if (key.getShort() > LAST_COMMIT_KEY || !text(key).equals(consumer.group())) {
                return Optional.empty();
            }
            String topic = text(key);
            return Optional.of(new TopicPartition(topic, key.getInt()));
        } catch (BufferUnderflowException e) {
            throw new IllegalStateException(
                    TOPIC + "-" + record.partition() + "@" + record.offset() + " has a key of an unknown format", e);
        }
    }

    private static String text(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.getShort()];
        buffer.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
