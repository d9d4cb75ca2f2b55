package dev.onceward.effect;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Set;

/** A result set or the metadata of the database: both lead back to the connection. */
final class GuardedResult extends Guarded {

    private static final Set<String> RUN_SQL = Set.of("insertRow", "updateRow", "deleteRow", "refreshRow");

    private final boolean metaData;

    GuardedResult(Guard guard, Object result) {
        super(guard, result);
        this.metaData = result instanceof DatabaseMetaData;
    }

    @Override
    void before(String method, Object[] arguments) throws SQLException {
        if (metaData || RUN_SQL.contains(method)) {
            guard.beforeSql();
        }
    }
}
