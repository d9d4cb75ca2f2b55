package dev.onceward.effect;

import dev.onceward.postgres.TransactionStatus;
import java.sql.SQLException;
import java.util.List;

/** Runs groups, each in one database transaction; used by one thread at a time. */
public interface GroupTransaction {

    /** Runs the group; never throws, and leaves nothing open in any case. */
    GroupOutcome run(List<Member> members);

    /** Asks what became of a transaction. */
    TransactionStatus status(GroupOutcome.InDoubt doubt) throws SQLException;
}
