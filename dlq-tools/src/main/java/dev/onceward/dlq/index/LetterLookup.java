package dev.onceward.dlq.index;

import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Looks up what the database knows of letters that come from elsewhere. Reads only. For one thread. */
public final class LetterLookup {
    // Two ranges of two indexes for each; OFFSET 0 keeps the planner from joining in another way.
    private static final String KNOWN = "SELECT w.n, " + LetterRows.COLUMNS
            + " FROM unnest(?, ?, ?, ?, ?, ?) WITH ORDINALITY"
            + " AS w(topic, partition, record_offset, origin_topic, origin_partition, origin_offset, n)"
            + " CROSS JOIN LATERAL (SELECT * FROM {dead_letters} r WHERE r.consumer_name = ? AND r.topic = w.topic"
            + " AND r.partition = w.partition AND r.record_offset = w.record_offset"
            + " UNION ALL SELECT * FROM {dead_letters} r WHERE r.consumer_name = ?"
            + " AND r.origin_topic = w.origin_topic AND r.origin_partition = w.origin_partition"
            + " AND r.origin_offset = w.origin_offset AND (r.topic, r.partition, r.record_offset)"
            + " IS DISTINCT FROM (w.topic, w.partition, w.record_offset) OFFSET 0) d";

    private static final String STACKTRACES =
            "SELECT w.n, d.error_stacktrace FROM unnest(?::text[], ?::text[], ?::int4[], ?::int8[], ?::uuid[])"
                    + " WITH ORDINALITY AS w(consumer_name, topic, partition, record_offset, topic_id, n)"
                    + " JOIN {dead_letters} d ON d.consumer_name = w.consumer_name AND d.topic = w.topic"
                    + " AND d.partition = w.partition AND d.record_offset = w.record_offset AND d.topic_id = w.topic_id";

    private final Connection connection;
    private final Tables tables;

    /** Over the command's own connection. */
    public LetterLookup(Connections connections) {
        this(connections.database(), connections.tables());
    }

    LetterLookup(Connection connection, Tables tables) {
        this.connection = connection;
        this.tables = tables;
    }

    /** For each of these letters every row with its record's coordinates, or with its origin's; in the same order. */
    public List<List<Letter>> known(String consumer, List<Letter> letters) throws SQLException {
        List<List<Letter>> known = new ArrayList<>();
        letters.forEach(letter -> known.add(new ArrayList<>()));
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(KNOWN))) {
            ArrayParameters.of(connection, statement, letters)
                    .coordinates(letter -> letter.record().coordinates())
                    .coordinates(letter -> letter.origin().coordinates())
                    .text(consumer)
                    .text(consumer);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    known.get(row.getInt(1) - 1).add(LetterRows.read(row));
                }
            }
        }
        return known;
    }

    /** The stack traces of these letters, by one statement; in the same order, empty where there is none. */
    public List<String> stacktraces(List<Letter> letters) throws SQLException {
        String[] traces = new String[letters.size()];
        Arrays.fill(traces, "");
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(STACKTRACES))) {
            ArrayParameters.of(connection, statement, letters)
                    .column("text", Letter::consumer)
                    .coordinates(letter -> letter.record().coordinates())
                    .column("uuid", letter -> letter.record().topicId());
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    traces[row.getInt(1) - 1] = row.getString(2);
                }
            }
        }
        return List.of(traces);
    }
}
