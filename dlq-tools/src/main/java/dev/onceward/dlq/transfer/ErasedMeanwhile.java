package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.ArrayParameters;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.Letter;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Looks whether data were erased since letters were looked up. */
final class ErasedMeanwhile {
    private static final String ERASED = "SELECT w.n FROM unnest(?, ?, ?, ?) WITH ORDINALITY"
            + " AS w(origin_topic, origin_partition, origin_offset, origin_timestamp, n)"
            + " WHERE EXISTS (SELECT FROM {dead_letters} d WHERE d.consumer_name = ?"
            + " AND d.origin_topic = w.origin_topic AND d.origin_partition = w.origin_partition"
            + " AND d.origin_offset = w.origin_offset AND d.origin_timestamp = w.origin_timestamp"
            + " AND d.erased_at IS NOT NULL)";

    private ErasedMeanwhile() {}

    /** The places in the list, from 0, of letters whose data are erased by now. */
    static Set<Integer> among(Connections connections, String consumer, List<Letter> letters) throws SQLException {
        try (PreparedStatement statement = ArrayParameters.prepare(connections, ERASED)) {
            ArrayParameters.of(connections, statement, letters)
                    .coordinates(letter -> letter.origin().coordinates())
                    .column("int8", letter -> letter.origin().timestamp())
                    .text(consumer);
            Set<Integer> erased = new HashSet<>();
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    erased.add(row.getInt(1) - 1);
                }
            }
            return erased;
        }
    }
}
