package dev.onceward.effect;

import org.jspecify.annotations.Nullable;

/** What a handler is told when it reaches for the transaction's end. */
final class Refusal {

    private Refusal() {}

    /** For a method of {@link java.sql.Connection} that a handler must not call; {@code null}: it may. */
    static @Nullable String ofConnectionMethod(String method, int arguments) {
        String instead = switch (method) {
            case "commit" -> "return from the handler, and claim and effect commit together";
            case "rollback" ->
                arguments > 0
                        ? null
                        : "throw an exception, and claim and effect roll back together; or roll back to a savepoint";
            case "close", "abort" -> "leave the connection open, the runtime takes it back";
            case "setAutoCommit" -> "the handler is in a transaction already, just run statements";
            case "setTransactionIsolation" -> "the transaction is READ COMMITTED; lock rows with SELECT ... FOR UPDATE";
            case "setReadOnly" -> "the claim is written in the same transaction";
            case "setHoldability" -> "read the result set before the handler returns";
            case "setNetworkTimeout" -> "the limit of a handler is a setting of the runtime";
            case "setCatalog", "setSchema" -> "name the schema in the SQL, or set it for the whole pool";
            case "setClientInfo", "setTypeMap" -> "it would outlive the transaction; set it for the whole pool";
            default -> null;
        };
        return instead == null ? null : method + "() is refused: " + instead;
    }

    /** For a transaction-control statement in a text. */
    static String ofControl(String control, String sql) {
        if (control.equals("SET") || control.equals("RESET")) {
            return control + " is refused: it would outlive the transaction on a connection that other messages get"
                    + " next; write SET LOCAL, or set it for the role, the database or the whole pool. It stands in: "
                    + sql;
        }
        if (control.equals("SET LOCAL SYNCHRONOUS_COMMIT")) {
            return ofAsynchronousCommit() + " It stands in: " + sql;
        }
        return control
                + " is refused: the runtime ends the transaction when the handler has returned (commit) or thrown"
                + " (roll back); savepoints are allowed. It stands in: " + sql;
    }

    static String ofDeclaredSavepoint(String sql) {
        return "a declared update cannot be about a savepoint, since it is sent together with those of other messages;"
                + " use handle() or connection(): " + sql;
    }

    static String ofAsynchronousCommit() {
        return "changing synchronous_commit is refused: the message would be completed in Kafka while a crash or a"
                + " failover could still lose its effect; set it for the role or the database, and see"
                + " onceward.allow-asynchronous-commit.";
    }

    static String ofUnwrap() {
        return "unwrap() is refused: past this guard the transaction could be ended; use the methods of java.sql";
    }
}
