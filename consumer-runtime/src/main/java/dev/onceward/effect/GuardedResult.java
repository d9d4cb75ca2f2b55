package dev.onceward.effect;

import java.sql.Blob;
import java.sql.Clob;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Set;

/**
 * A result set, the metadata of the database, an array (which has a result set), a large object: what leads back to the
 * connection, or reads and writes through it.
 */
final class GuardedResult extends Guarded {

    private static final Set<String> RUN_SQL = Set.of("insertRow", "updateRow", "deleteRow", "refreshRow");

    private final boolean everyCall;

    GuardedResult(Guard guard, Object result) {
        super(guard, result);
        this.everyCall = result instanceof DatabaseMetaData || result instanceof Blob || result instanceof Clob;
    }

    @Override
    void before(String method, Object[] arguments) throws SQLException {
        if (everyCall || RUN_SQL.contains(method)) {
            guard.beforeSql();
        }
    }
}
