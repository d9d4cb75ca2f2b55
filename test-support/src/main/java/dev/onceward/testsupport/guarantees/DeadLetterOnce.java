package dev.onceward.testsupport.guarantees;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Each record that was given up has one dead letter: its row names one copy in the dead-letter topic, which is there and is
 * of that record; no copy is named twice; and no message has both an effect and a dead letter that waits.
 *
 * <p>Copies that no row names come from crashes between the publication and its record: there are at most as many as
 * {@linkplain #withUnnamedCopies allowed}.
 */
public final class DeadLetterOnce implements Guarantee {
    private static final String ROWS = "SELECT topic, partition, record_offset, origin_topic, origin_partition,"
            + " origin_offset, status, dlt_topic, dlt_partition, dlt_offset FROM {dead_letters} WHERE consumer_name = ?"
            + " AND reason <> 'PAYLOAD_LOST'";
    private static final String PROCESSED = "SELECT d.topic, d.partition, d.record_offset, d.message_id, d.status"
            + " FROM {dead_letters} d JOIN {processed_messages} p ON p.consumer_name = d.consumer_name"
            + " AND p.message_id = d.message_id AND p.payload_hash IN (d.payload_hash, d.edited_payload_hash)"
            + " WHERE d.consumer_name = ? AND d.status IN ('DEAD', 'REPLAYED')";

    private final ObservedConsumer consumer;
    private final long unnamedAllowed;

    private DeadLetterOnce(ObservedConsumer consumer, long unnamedAllowed) {
        this.consumer = consumer;
        this.unnamedAllowed = unnamedAllowed;
    }

    /** Of all dead letters of the consumer; no copy may be without a name. Nothing may be left to publish. */
    public static DeadLetterOnce of(ObservedConsumer consumer) {
        return new DeadLetterOnce(consumer, 0);
    }

    /**
     * The same, with some copies that no row names.
     *
     * @param atMost lanes of a worker, times the crashes
     */
    public DeadLetterOnce withUnnamedCopies(long atMost) {
        return new DeadLetterOnce(consumer, atMost);
    }

    @Override
    public Finding check() {
        Tally tally = new Tally("DeadLetterOnce");
        // By the copy that a row names: what it says of the record that first failed.
        Map<Place, Place> named = new HashMap<>();
        Set<String> topics = new TreeSet<>();
        try (Queries database = new Queries(consumer)) {
            database.rows(
                    ROWS,
                    row -> {
                        tally.checked(1);
                        Place record = new Place(row.getString(1), row.getInt(2), row.getLong(3));
                        Place origin = new Place(row.getString(4), row.getInt(5), row.getLong(6));
                        String topic = row.getString(8);
                        if (topic == null) {
                            tally.violation(record + " was given up and is not published: " + row.getString(7));
                            return;
                        }
                        topics.add(topic);
                        Place copy = new Place(topic, row.getInt(9), row.getLong(10));
                        if (named.put(copy, origin) != null) {
                            tally.violation(copy + " is named by two dead letters, one of them " + record);
                        }
                    },
                    consumer.name());
            database.rows(
                    PROCESSED,
                    row -> tally.violation(new Place(row.getString(1), row.getInt(2), row.getLong(3)) + " (id "
                            + row.getString(4) + ") took effect, and its dead letter is " + row.getString(5)),
                    consumer.name());
        }
        compare(topics, named, tally);
        return tally.finding();
    }

    private void compare(Set<String> topics, Map<Place, Place> named, Tally tally) {
        Set<Place> seen = new HashSet<>();
        long[] unnamed = new long[1];
        new TopicScan(consumer).read(topics, copy -> {
            Place place = new Place(copy.topic(), copy.partition(), copy.offset());
            Place origin = named.get(place);
            if (origin == null) {
                unnamed[0]++;
            } else {
                seen.add(place);
                if (!agrees(copy, origin)) {
                    tally.violation(place + " is said to be the copy of " + origin + ", and tells of another record");
                }
            }
        });
        for (Map.Entry<Place, Place> letter : named.entrySet()) {
            if (!seen.contains(letter.getKey())) {
                tally.violation("there is no record at " + letter.getKey() + ", where the copy of " + letter.getValue()
                        + " is said to be");
            }
        }
        if (unnamed[0] > unnamedAllowed) {
            tally.violation(unnamed[0] + " copies are named by no dead letter; at most " + unnamedAllowed
                    + " can come from crashes");
        }
    }

    /** By Kafka's own names of these headers; a record that was nearly too large has none. */
    private static boolean agrees(ConsumerRecord<byte[], byte[]> copy, Place origin) {
        return agrees(copy, "__dlq.errors.topic", origin.topic())
                && agrees(copy, "__dlq.errors.partition", String.valueOf(origin.partition()))
                && agrees(copy, "__dlq.errors.offset", String.valueOf(origin.offset()));
    }

    private static boolean agrees(ConsumerRecord<byte[], byte[]> copy, String name, String expected) {
        Header header = copy.headers().lastHeader(name);
        return header == null || new String(header.value(), StandardCharsets.UTF_8).equals(expected);
    }

    private record Place(String topic, int partition, long offset) {
        @Override
        public String toString() {
            return topic + "-" + partition + "@" + offset;
        }
    }
}
