package dev.onceward.dlq.erase;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.TopicFacts;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.PayloadHash;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/**
 * Lets copies in compacted dead-letter topics go: a record with the same key and no value, in the same partition. The
 * broker acknowledges it before anything is erased in the database, which alone still knows the key: killed in between,
 * the command is run again and writes it again.
 *
 * <p>Compaction goes by key. A tombstone removes every older record of the key, also the payloads of other letters that
 * somebody still has to replay: then none is written.
 */
public final class Tombstones {
    private final Connections connections;
    private final DeadLetterIndex index;
    private final List<Place> places;
    private final Set<String> going = new TreeSet<>();

    private Tombstones(Connections connections, List<Place> places) {
        this.connections = connections;
        this.index = new DeadLetterIndex(connections);
        this.places = places;
    }

    /**
     * What is to be written for these letters.
     *
     * @param facts of every topic that holds a copy and exists
     * @throws RefusedException other letters would lose their payload, or nobody can tell whether a topic is compacted
     */
    public static Tombstones plan(Connections connections, List<ErasedLetter> letters, Map<String, TopicFacts> facts)
            throws SQLException {
        Map<Object, Place> places = new LinkedHashMap<>();
        for (ErasedLetter letter : letters) {
            for (ErasableRow row : letter.rows()) {
                Coordinates copy = row.copy();
                TopicFacts topic = copy == null ? null : facts.get(copy.topic());
                if (copy == null || topic == null || row.erased()) {
                    continue;
                }
                if (topic.settings().isEmpty()) {
                    throw new RefusedException("nobody may tell us the settings of the topic " + copy.topic()
                            + ", so whether it is compacted: grant DescribeConfigs on it");
                }
                byte[] key = row.key();
                if (topic.compacted() && key != null) {
                    Place place = places.computeIfAbsent(
                            List.of(copy.topic(), copy.partition(), PayloadHash.of(key)),
                            any -> new Place(
                                    letter.letter().consumer(),
                                    copy.topic(),
                                    copy.partition(),
                                    key,
                                    new ArrayList<>()));
                    place.copies().add(copy.toString());
                }
            }
        }
        Tombstones tombstones = new Tombstones(connections, List.copyOf(places.values()));
        tombstones.refuseForOthers(letters);
        return tombstones;
    }

    private void refuseForOthers(List<ErasedLetter> letters) throws SQLException {
        Set<String> others = others(letters);
        if (!others.isEmpty()) {
            throw new RefusedException(
                    "the dead-letter topic is compacted: what removes the copy removes every record of"
                            + " its key, and these have the same key and are not finished: " + String.join(", ", others)
                            + ". Replay or edit them first, or erase them in the same command");
        }
    }

    private Set<String> others(List<ErasedLetter> letters) throws SQLException {
        Set<String> chosen =
                letters.stream().map(letter -> name(letter.letter())).collect(Collectors.toSet());
        Set<String> others = new TreeSet<>();
        if (places.isEmpty()) {
            return others; // a filter without keys is for all
        }
        // One question for all keys: no index finds them, so it reads every letter that is open.
        index.list(unfinished(), Long.MAX_VALUE, letter -> {
            if (letter.history().erasedAt() == null
                    && !chosen.contains(name(letter))
                    && places.stream().anyMatch(place -> place.holds(letter))) {
                others.add(letter.name());
            }
        });
        return others;
    }

    /** Of any consumer, since several may have the same dead-letter topic. */
    private Filter unfinished() {
        List<Filter.Key> keys =
                places.stream().map(place -> new Filter.Key(place.key())).toList();
        return new Filter(
                null,
                List.of(),
                List.of(),
                keys,
                List.of(),
                null,
                null,
                null,
                EnumSet.complementOf(EnumSet.of(DeadLetterStatus.RESOLVED)));
    }

    /** With the timestamp: a topic made again has letters at the same coordinates. */
    private static String name(Letter letter) {
        return letter.consumer() + " " + letter.name() + " " + letter.origin().timestamp();
    }

    /** How many there are. */
    public int count() {
        return places.size();
    }

    /** Copies that go with what was written, or may have been: nobody can take it back. */
    public List<String> going() {
        return List.copyOf(going);
    }

    /**
     * Writes them, and returns when the broker has acknowledged all.
     *
     * @return letters that came while they were written, and whose copies may go with them
     * @throws RefusedException others came since it was planned: nothing is written
     * @throws dev.onceward.dlq.connect.CannotConnectException Kafka does not answer; {@link #going} says what was written
     */
    public Set<String> write(List<ErasedLetter> letters) throws SQLException {
        if (places.isEmpty()) {
            return Set.of();
        }
        refuseForOthers(letters);
        try (Producer<byte[], byte[]> producer = connections.newProducer()) {
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (Place place : places) {
                sent.add(producer.send(new ProducerRecord<>(place.topic(), place.partition(), place.key(), null)));
                going.addAll(place.copies());
            }
            Throwable failure = null;
            for (int i = 0; i < places.size(); i++) {
                Throwable failed = failure(sent.get(i));
                if (failed != null) {
                    failure = failure == null ? failed : failure;
                    if (failed instanceof ApiException && !(failed instanceof RetriableException)) {
                        going.removeAll(places.get(i).copies()); // refused; what is only not acknowledged may be there
                    }
                }
            }
            if (failure != null) {
                throw connections.kafkaFailure(failure);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptException(e);
        } catch (KafkaException e) {
            throw connections.kafkaFailure(e);
        }
        // Nothing keeps a worker from publishing one between our look and our record.
        return others(letters);
    }

    private static @Nullable Throwable failure(Future<RecordMetadata> tombstone) throws InterruptedException {
        try {
            tombstone.get();
            return null;
        } catch (ExecutionException e) {
            return e.getCause() == null ? e : e.getCause();
        }
    }

    /**
     * Where one is needed.
     *
     * @param copies those that it is for
     */
    @SuppressWarnings("ArrayRecordComponent") // places are told apart by the map
    private record Place(String consumer, String topic, int partition, byte[] key, List<String> copies) {
        /** Whether a letter's payload is there, or about to be published there. */
        boolean holds(Letter letter) {
            Coordinates copy = letter.copy();
            return Arrays.equals(key, letter.key())
                    && (copy == null
                            ? letter.stored() == DeadLetterStatus.PENDING
                                    && letter.consumer().equals(consumer)
                            : copy.topic().equals(topic) && copy.partition() == partition);
        }
    }
}
