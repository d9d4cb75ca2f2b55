package dev.onceward.effect;

import java.sql.SQLException;
import java.sql.Statement;

/** A statement of a handler's, prepared or not. */
final class GuardedStatement extends Guarded {
    private final Statement statement;

    GuardedStatement(Guard guard, Statement statement) {
        super(guard, statement);
        this.statement = statement;
    }

    @Override
    void before(String method, Object[] arguments) throws SQLException {
        boolean executes = method.startsWith("execute");
        if ((executes || method.equals("addBatch")) && arguments.length > 0) {
            checkText(guard, arguments[0]);
        }
        if (executes) {
            guard.beforeSql();
        }
        if (method.equals("close")) {
            guard.closed(statement);
        }
    }
}
