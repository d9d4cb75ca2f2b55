package dev.onceward.testsupport.guarantees;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.coordinator.group.generated.OffsetCommitKey;
import org.apache.kafka.coordinator.group.generated.OffsetCommitValue;

/**
 * The offset that a group commits for a partition never goes backwards: read from the broker's own log of all commits,
 * {@code __consumer_offsets}. A commit that was deleted (expired, or the topic was) begins anew. Compaction of that topic
 * takes old commits away: meant for runs of minutes or hours.
 *
 * <p>One thing is no violation, since no client can prevent it: a commit that a broken connection delivers late, behind a
 * newer one that the same worker had to send on a new connection. It is recognised by the worker's count, which stands in
 * the commit's metadata, and by nothing else; a commit of another worker is a violation in any case.
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
        Map<TopicPartition, Commit> last = new HashMap<>();
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
                                    Commit commit = Commit.of(record.value());
                                    Commit before = last.put(partition, commit);
                                    tally.checked(1);
                                    if (before != null && commit.isBehind(before)) {
                                        if (commit.lateBehind(before)) {
                                            last.put(partition, before.overtakenBy(commit));
                                        } else {
                                            tally.violation(partition + " went back from " + before + " to " + commit
                                                    + " (" + TOPIC + "-" + record.partition() + "@" + record.offset()
                                                    + ")");
                                        }
                                    }
                                }));
        return tally.finding();
    }

    private Optional<TopicPartition> partition(ConsumerRecord<byte[], byte[]> record) {
        ByteBuffer buffer = ByteBuffer.wrap(record.key());
        short version = buffer.getShort();
        if (version > LAST_COMMIT_KEY) {
            return Optional.empty(); // of the group itself
        }
        OffsetCommitKey key = new OffsetCommitKey(new ByteBufferAccessor(buffer), version);
        return key.group().equals(consumer.group())
                ? Optional.of(new TopicPartition(key.topic(), key.partition()))
                : Optional.empty();
    }

    /**
     * One commit.
     *
     * @param held what the broker holds after it and after what came late behind it
     * @param metadata who sent it: {@code onceward <worker> <count>}, or whatever others write there
     */
    private record Commit(long offset, long held, String metadata) {
        private static final Pattern SENT = Pattern.compile("(onceward .+) (\\d{1,18})");

        static Commit of(byte[] value) {
            ByteBuffer buffer = ByteBuffer.wrap(value);
            short version = buffer.getShort();
            OffsetCommitValue commit = new OffsetCommitValue(new ByteBufferAccessor(buffer), version);
            return new Commit(commit.offset(), commit.offset(), commit.metadata());
        }

        /** The sender knows what it sent last; another one only what the broker held. */
        boolean isBehind(Commit before) {
            return offset < (order(before) == 0 ? before.held : before.offset);
        }

        boolean lateBehind(Commit before) {
            return order(before) < 0;
        }

        Commit overtakenBy(Commit late) {
            return new Commit(offset, late.offset, metadata);
        }

        /** Negative: the same sender sent it earlier; positive: later; 0: another sender's. */
        private int order(Commit before) {
            Matcher mine = SENT.matcher(metadata);
            Matcher other = SENT.matcher(before.metadata);
            return mine.matches() && other.matches() && mine.group(1).equals(other.group(1))
                    ? Long.compare(Long.parseLong(mine.group(2)), Long.parseLong(other.group(2)))
                    : 0;
        }

        @Override
        public String toString() {
            return metadata.isEmpty() ? Long.toString(offset) : offset + " [" + metadata + "]";
        }
    }
}
