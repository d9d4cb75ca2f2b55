package dev.onceward.engine;

import dev.onceward.postgres.Database;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;

/** Ends sessions by SQL, from a session of its own. */
record DatabaseSessions(Database database) implements Sessions {
    private static final Duration LIMIT = Duration.ofSeconds(5);
    // Only a process that holds our lock: the number may have been given to another one since.
    private static final String END_BACKEND =
            "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"
                    + " AND classid = ?::bigint::oid AND objsubid = 2 AND granted AND pid = ? LIMIT 1";

    @Override
    public void end(int backendPid) throws SQLException {
        database.inTransaction(LIMIT, connection -> {
            try (PreparedStatement statement = connection.prepareStatement(END_BACKEND)) {
                statement.setLong(1, database.tables().lockClass());
                statement.setInt(2, backendPid);
                return statement.execute();
            }
        });
    }
}
