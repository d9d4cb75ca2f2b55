package dev.onceward.engine;

import dev.onceward.config.Ordering;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Messages with equal ordering keys take effect in offset order: they meet the same lane, and a failing one holds those
 * behind it.
 *
 * @param partition the incarnation it belongs to
 * @param key the record's key bytes; or a name for "the whole partition"; or the offset, which no other record shares
 */
record OrderingKey(OwnedPartition partition, Object key) {
    private static final String WHOLE_PARTITION = "partition";

    static OrderingKey of(OwnedPartition partition, ConsumerRecord<byte[], byte[]> message, Ordering ordering) {
        byte[] key = message.key();
        return switch (ordering) {
            case KEY -> new OrderingKey(partition, key == null ? message.offset() : ByteBuffer.wrap(key));
            case PARTITION -> new OrderingKey(partition, WHOLE_PARTITION);
            case UNORDERED -> new OrderingKey(partition, message.offset());
        };
    }

    /** The lane of this key. Whole partitions go round the lanes, so that few partitions use many lanes. */
    int lane(int lanes) {
        int partitionHash = partition.topicPartition().topic().hashCode()
                + partition.topicPartition().partition();
        if (key instanceof String) {
            return Math.floorMod(partitionHash, lanes);
        }
        return Math.floorMod(spread(31 * key.hashCode() + partitionHash), lanes);
    }

    /** Mixes the bits: hashes of similar keys differ in few of them (finaliser of MurmurHash3). */
    private static int spread(int hash) {
        int mixed = hash;
        mixed = (mixed ^ (mixed >>> 16)) * 0x85ebca6b;
        mixed = (mixed ^ (mixed >>> 13)) * 0xc2b2ae35;
        return mixed ^ (mixed >>> 16);
    }
}
