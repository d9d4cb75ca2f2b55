package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** How large the tables are that grow with the messages. */
public final class TableSizes {
    /** The tables measured. */
    public static final List<String> TABLES = List.of("processed_messages", "message_attempts", "dead_letters");

    private final Database database;

    public TableSizes(Database database) {
        this.database = database;
    }

    /** Bytes of each table with its indexes. */
    public Map<String, Long> measure(Connection connection) throws SQLException {
        Map<String, Long> bytes = new HashMap<>();
        for (String table : TABLES) {
            try (PreparedStatement statement =
                    connection.prepareStatement("SELECT pg_total_relation_size(?::regclass)")) {
                statement.setString(1, database.tables().sql("{" + table + "}"));
                try (ResultSet row = statement.executeQuery()) {
                    row.next();
                    bytes.put(table, row.getLong(1));
                }
            }
        }
        return bytes;
    }
}
