package dev.onceward.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Opens a fenced transaction in one round trip: a text of several statements, which the driver sends together and the
 * server runs one after the other, <em>each with a snapshot of its own</em>.
 *
 * <p>Why a stale worker cannot get past it: the shared lock on the fence key is held from the second statement to the
 * end of the transaction. A takeover raises the generation under the exclusive lock of the same key and commits before
 * it lets go. So either the takeover came first, then every later statement here sees the new generation; or we came
 * first, then the takeover waits until we have committed or rolled back. Reading the generation in the lock's own
 * statement would be wrong: its snapshot is taken before the wait.
 */
public final class Opening {
    private static final String LIMITS = "SELECT set_config('lock_timeout', ?, true), "
            + "set_config('statement_timeout', ?, true), set_config('idle_in_transaction_session_timeout', ?, true), "
            + "set_config('onceward.generation', ?, true), current_setting('transaction_isolation'), pg_backend_pid()";
    // Off first: the server took the time of this transaction from its own setting when it began, and another limit
    // does not change a clock that runs. Switched off and on again it begins anew, with ours; else a limit of database
    // or role below a handler's time would end every good message's transaction.
    private static final String TRANSACTION_TIMEOUT =
            ", set_config('transaction_timeout', '0', true), set_config('transaction_timeout', ?, true)";
    private static final String LOCKS =
            ";\nSELECT pg_advisory_xact_lock_shared(?, fence_key) FROM unnest(?) AS fence_key";
    private static final String CLAIMS = ";\nINSERT INTO {processed_messages}"
            + " (consumer_name, message_id, payload_hash, fence_key, source_offset, generation)"
            + " SELECT ?, c.message_id, c.payload_hash, c.fence_key, c.source_offset, c.generation"
            + " FROM unnest(?, ?, ?, ?, ?) AS c(message_id, payload_hash, fence_key, source_offset, generation)"
            + " JOIN {partition_generations} g ON g.fence_key = c.fence_key AND g.generation = c.generation"
            // Sorted: two transactions that claim the same ids wait for each other in one direction only.
            + " ORDER BY c.message_id COLLATE \"C\" ON CONFLICT DO NOTHING RETURNING message_id";
    // A later snapshot than the INSERT's: a duplicate that committed while the INSERT waited for it is visible only
    // now.
    private static final String EXISTING = ";\nSELECT message_id, payload_hash, fence_key, source_offset, generation"
            + " FROM {processed_messages} WHERE consumer_name = ? AND message_id = ANY (?)"
            + " AND xmin <> pg_current_xact_id()::xid";
    private static final String DEAD_LETTERS = ";\nSELECT message_id, payload_hash, edited_payload_hash, status, "
            + UnprocessedProof.SQL + " FROM {dead_letters} WHERE consumer_name = ? AND message_id = ANY (?)";
    private static final String GENERATIONS = ";\nSELECT fence_key, generation, pruned_through,"
            + " pg_current_xact_id_if_assigned()::text FROM {partition_generations} WHERE fence_key = ANY (?)";

    private final String plain;
    private final String claiming;
    private final Database database;
    private final TransactionLimits limits;

    public Opening(Database database, TransactionLimits limits) {
        this.database = database;
        this.limits = limits;
        String head = LIMITS + (database.hasTransactionTimeout() ? TRANSACTION_TIMEOUT : "") + LOCKS;
        this.plain = database.tables().sql(head + GENERATIONS);
        this.claiming = database.tables().sql(head + CLAIMS + EXISTING + DEAD_LETTERS + GENERATIONS);
    }

    /** Opens without claims, for writes of the runtime's own. */
    Opened open(Connection connection, Collection<Fence> fences) throws SQLException {
        return run(connection, plain, fences, List.of());
    }

    /** Opens and claims. Each message id stands at most once in {@code claims}. */
    public Opened open(Connection connection, Collection<Fence> fences, List<Claim> claims) throws SQLException {
        return run(connection, claiming, fences, claims);
    }

    private Opened run(Connection connection, String sql, Collection<Fence> fences, List<Claim> claims)
            throws SQLException {
        List<Fence> ordered = List.copyOf(new TreeSet<>(fences));
        Object[] fenceKeys = ordered.stream().map(Fence::fenceKey).toArray();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            Parameters parameters = new Parameters(connection, statement);
            parameters
                    .text(limits.lock().toMillis())
                    .text(limits.statement().toMillis())
                    .text(limits.statement().toMillis())
                    .text(ordered.stream()
                            .map(fence -> fence.fenceKey() + "=" + fence.generation())
                            .collect(Collectors.joining(",")));
            if (database.hasTransactionTimeout()) {
                parameters.text(limits.transaction().toMillis());
            }
            parameters.number(database.tables().lockClass()).array("int4", fenceKeys);
            if (!claims.isEmpty()) {
                Object[] ids = claims.stream().map(Claim::messageId).toArray();
                parameters
                        .text(database.consumer())
                        .array("text", ids)
                        .array("int8", claims.stream().map(Claim::payloadHash).toArray())
                        .array(
                                "int4",
                                claims.stream()
                                        .map(claim -> claim.fence().fenceKey())
                                        .toArray())
                        .array("int8", claims.stream().map(Claim::sourceOffset).toArray())
                        .array(
                                "int8",
                                claims.stream()
                                        .map(claim -> claim.fence().generation())
                                        .toArray())
                        .text(database.consumer())
                        .array("text", ids)
                        .text(database.consumer())
                        .array("text", ids);
            }
            parameters.array("int4", fenceKeys);
            statement.execute();
            return read(statement, ordered, !claims.isEmpty());
        }
    }

    private static Opened read(PreparedStatement statement, List<Fence> fences, boolean claiming) throws SQLException {
        OpenedBuilder opened = new OpenedBuilder();
        try (ResultSet limits = statement.getResultSet()) {
            limits.next();
            requireReadCommitted(limits.getString(5));
            opened.backendPid = limits.getInt(6);
        }
        statement.getMoreResults(); // the locks: rows of void
        if (claiming) {
            try (ResultSet claimed = next(statement)) {
                while (claimed.next()) {
                    opened.claimed.add(claimed.getString(1));
                }
            }
            try (ResultSet existing = next(statement)) {
                while (existing.next()) {
                    opened.existing.put(
                            existing.getString(1),
                            new Opened.Existing(
                                    existing.getLong(2), existing.getInt(3), existing.getLong(4), existing.getLong(5)));
                }
            }
            try (ResultSet letters = next(statement)) {
                while (letters.next()) {
                    long edited = letters.getLong(3);
                    opened.deadLetters.add(new Opened.KnownDeadLetter(
                            letters.getString(1),
                            letters.getLong(2),
                            letters.wasNull() ? null : edited,
                            letters.getString(4),
                            letters.getBoolean(5)));
                }
            }
        }
        Map<Integer, Long> generations = new HashMap<>();
        try (ResultSet rows = next(statement)) {
            while (rows.next()) {
                generations.put(rows.getInt(1), rows.getLong(2));
                opened.prunedThrough.put(rows.getInt(1), rows.getLong(3));
                opened.transactionId = rows.getString(4);
            }
        }
        for (Fence fence : fences) {
            Long generation = generations.get(fence.fenceKey());
            if (generation == null || generation != fence.generation()) {
                opened.stale.add(fence);
            }
        }
        return opened.build();
    }

    /** With any other level all statements would share the first one's snapshot, which is older than the locks. */
    private static void requireReadCommitted(String isolation) throws SQLException {
        if (!isolation.equals("read committed")) {
            throw new SQLException(
                    "the isolation level is " + isolation + "; Onceward needs read committed:"
                            + " set default_transaction_isolation for this role or pool",
                    "25001");
        }
    }

    private static ResultSet next(PreparedStatement statement) throws SQLException {
        if (!statement.getMoreResults()) {
            throw new SQLException("the driver did not answer every statement of the opening", "08P01");
        }
        return statement.getResultSet();
    }
}
