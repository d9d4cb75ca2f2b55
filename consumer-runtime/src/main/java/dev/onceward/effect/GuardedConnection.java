package dev.onceward.effect;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;

/** What a handler gets as its connection: everything but what would end the transaction or outlive it. */
final class GuardedConnection extends Guarded {

    private static final Set<String> RUN_SQL = Set.of("setSavepoint", "rollback", "releaseSavepoint");

    GuardedConnection(Guard guard, Connection connection) {
        super(guard, connection);
    }

    @Override
    void before(String method, Object[] arguments) throws SQLException {
        String refusal = Refusal.ofConnectionMethod(method, arguments.length);
        if (refusal != null) {
            throw new IllegalStateException(refusal);
        }
        if (method.startsWith("prepare") || method.equals("nativeSQL")) {
            checkText(guard, arguments[0]);
        }
        if (method.equals("setSavepoint")) {
            guard.wantsSavepoint();
        }
        if (RUN_SQL.contains(method)) {
            guard.beforeSql();
        }
    }
}
