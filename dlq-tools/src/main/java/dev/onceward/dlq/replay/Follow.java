package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Progress;
import dev.onceward.postgres.Tables;
import java.sql.Array;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/** Waits until the workers are done with what was sent: each message took effect, or is a dead letter again. */
final class Follow {
    // Scalar subqueries, as in the index: one look into an index for each letter, whatever the planner expects.
    // "Again": a row of the same origin that is newer than the one that was sent. One that is PENDING has been given
    // up,
    // and may still turn out to be resolved.
    private static final String STATES = "SELECT k.n, (d.status = 'RESOLVED' OR coalesce((SELECT true"
            + " FROM {processed_messages} p WHERE p.consumer_name = d.consumer_name AND p.message_id = d.message_id"
            + " AND p.payload_hash IN (d.payload_hash, d.edited_payload_hash) LIMIT 1), false)),"
            + " (SELECT ARRAY[n.message_id, n.error_class, n.error_message] FROM {dead_letters} n WHERE n.consumer_name = d.consumer_name"
            + " AND n.origin_topic = d.origin_topic AND n.origin_partition = d.origin_partition"
            + " AND n.origin_offset = d.origin_offset AND n.origin_timestamp = d.origin_timestamp"
            + " AND n.dead_at > d.dead_at AND n.status <> 'PENDING'"
            + " AND (n.topic, n.partition, n.record_offset) IS DISTINCT FROM (d.topic, d.partition, d.record_offset)"
            + " ORDER BY n.dead_at DESC LIMIT 1)"
            + " FROM unnest(?, ?, ?, ?) WITH ORDINALITY AS k(topic, partition, record_offset, topic_id, n)"
            + " JOIN {dead_letters} d ON d.consumer_name = ? AND d.topic = k.topic AND d.partition = k.partition"
            + " AND d.record_offset = k.record_offset AND d.topic_id = k.topic_id";
    private static final int AT_ONCE = 1_000;
    private static final long PAUSE_NANOS = Duration.ofMillis(200).toNanos();

    private final Connections connections;
    private final Connection connection;
    private final Tables tables;
    private final ReplayTarget target;
    private final Console console;
    private final Stop stop;

    Follow(Connections connections, ReplayTarget target, Console console, Stop stop) {
        this.connections = connections;
        this.connection = connections.database();
        this.tables = connections.tables();
        this.target = target;
        this.console = console;
        this.stop = stop;
    }

    /** Waits, but not longer than this and not after a stop. */
    Followed follow(Collection<Sent> sent, Duration atMost) throws SQLException {
        Deque<Sent> waiting = new ArrayDeque<>(sent);
        List<DeadAgain> failedAgain = new ArrayList<>();
        long resolved = 0;
        Progress progress = new Progress(console, "done", sent.size());
        long started = System.nanoTime();
        while (!waiting.isEmpty() && !stop.requested() && System.nanoTime() - started < atMost.toNanos()) {
            List<Sent> batch = new ArrayList<>();
            while (batch.size() < AT_ONCE && !waiting.isEmpty()) {
                batch.add(waiting.poll());
            }
            int left = waiting.size();
            resolved += ask(batch, waiting, failedAgain);
            progress.show(resolved + failedAgain.size());
            // Nothing of what was asked for is done: the workers need time.
            if (waiting.size() - left == batch.size()) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
        progress.clear();
        return new Followed(resolved, failedAgain, waiting.size());
    }

    /** Puts back what is not decided; returns how many took effect. */
    private long ask(List<Sent> batch, Deque<Sent> waiting, List<DeadAgain> failedAgain) throws SQLException {
        // First the offsets: a worker writes the dead letter before it commits the offset behind it.
        Map<TopicPartition, OffsetAndMetadata> finished = batch.stream().allMatch(Sent::hasId) ? Map.of() : committed();
        Found[] found = states(batch);
        long resolved = 0;
        for (int i = 0; i < batch.size(); i++) {
            Sent letter = batch.get(i);
            State state = found[i] == null ? State.WAITING : found[i].state();
            if (state == State.WAITING && !letter.hasId() && isBehind(letter, finished)) {
                state = State.RESOLVED; // without an id no claim tells; but it was finished, and is no dead letter
            }
            switch (state) {
                case RESOLVED -> resolved++;
                case DEAD_AGAIN -> failedAgain.add(found[i].again(letter.name()));
                case WAITING -> waiting.add(letter);
            }
        }
        return resolved;
    }

    private Found[] states(List<Sent> batch) throws SQLException {
        Found[] found = new Found[batch.size()];
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(STATES))) {
            array(statement, 1, "text", batch.stream().map(sent -> sent.place().topic()));
            array(statement, 2, "int4", batch.stream().map(sent -> sent.place().partition()));
            array(statement, 3, "int8", batch.stream().map(Sent::recordOffset));
            array(statement, 4, "uuid", batch.stream().map(sent -> sent.place().topicId()));
            statement.setString(5, target.consumer());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    boolean resolved = row.getBoolean(2);
                    Array again = row.getArray(3);
                    found[row.getInt(1) - 1] = new Found(
                            resolved ? State.RESOLVED : again != null ? State.DEAD_AGAIN : State.WAITING,
                            again == null ? new String[0] : (String[]) again.getArray());
                }
            }
        }
        return found;
    }

    private Map<TopicPartition, OffsetAndMetadata> committed() {
        return connections.await(
                connections.admin().listConsumerGroupOffsets(target.group()).partitionsToOffsetAndMetadata());
    }

    private boolean isBehind(Sent letter, Map<TopicPartition, OffsetAndMetadata> finished) {
        OffsetAndMetadata offset = finished.get(new TopicPartition(target.topic(), letter.partition()));
        return offset != null && offset.offset() > letter.offset();
    }

    private void array(PreparedStatement statement, int index, String type, Stream<?> values) throws SQLException {
        statement.setArray(index, connection.createArrayOf(type, values.toArray()));
    }

    private enum State {
        RESOLVED,
        DEAD_AGAIN,
        WAITING
    }

    /** What became of one, with id, class and message of its new failure. */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    private record Found(State state, String[] failure) {
        DeadAgain again(String name) {
            return DeadAgain.of(name, failure[0], failure[1], failure[2]);
        }
    }

    /**
     * What became of them.
     *
     * @param resolved how many took effect
     * @param failedAgain those that are dead letters again
     * @param undecided how many were still under way at the end
     */
    record Followed(long resolved, List<DeadAgain> failedAgain, int undecided) {
        static Followed nothing() {
            return new Followed(0, List.of(), 0);
        }

        boolean allResolved() {
            return failedAgain.isEmpty() && undecided == 0;
        }

        Followed plus(Followed other) {
            List<DeadAgain> both = new ArrayList<>(failedAgain);
            both.addAll(other.failedAgain);
            return new Followed(resolved + other.resolved, both, undecided + other.undecided);
        }
    }
}
