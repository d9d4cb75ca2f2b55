package dev.onceward.dlq.index;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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

    private final Connection connection;
    private final Tables tables;

    /** Over the command's own connection. */
    public LetterLookup(Connections connections) {
        this.connection = connections.database();
        this.tables = connections.tables();
    }

    /** For each of these letters every row with its record's coordinates, or with its origin's; in the same order. */
    public List<List<Letter>> known(String consumer, List<Letter> letters) throws SQLException {
        List<List<Letter>> known = new ArrayList<>();
        letters.forEach(letter -> known.add(new ArrayList<>()));
        try (PreparedStatement statement = connection.prepareStatement(tables.sql(KNOWN))) {
            coordinates(statement, 1, letters, letter -> letter.record().coordinates());
            coordinates(statement, 4, letters, letter -> letter.origin().coordinates());
            statement.setString(7, consumer);
            statement.setString(8, consumer);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    known.get(row.getInt(1) - 1).add(LetterRows.read(row));
                }
            }
        }
        return known;
    }

    private void coordinates(
            PreparedStatement statement, int index, List<Letter> letters, Function<Letter, Coordinates> of)
            throws SQLException {
        List<Coordinates> all = letters.stream().map(of).toList();
        array(statement, index, "text", all.stream().map(Coordinates::topic).toArray());
        array(
                statement,
                index + 1,
                "int4",
                all.stream().map(Coordinates::partition).toArray());
        array(
                statement,
                index + 2,
                "int8",
                all.stream().map(Coordinates::offset).toArray());
    }

    private void array(PreparedStatement statement, int index, String type, Object[] values) throws SQLException {
        statement.setArray(index, connection.createArrayOf(type, values));
    }
}
