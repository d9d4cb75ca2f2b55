package dev.onceward.effect;

import dev.onceward.postgres.TransactionLimits;
import java.time.Duration;

/**
 * Time limits of one group by the runtime's own clock, and from them the server's, which are larger: a handler over its
 * limit must be recognised here, not as an error of the connection.
 *
 * @param handler one call of a handler
 * @param budget what the handlers of a group should take together; beyond it the group is split
 * @param lock waiting for one lock
 */
public record GroupLimits(Duration handler, Duration budget, Duration lock) {
    private static final Duration MARGIN = Duration.ofSeconds(5);

    /** What the server is told. */
    public TransactionLimits transactionLimits() {
        Duration statement = handler.plus(budget).plus(MARGIN);
        return new TransactionLimits(
                lock, statement, statement.plus(handler).plus(lock).plus(MARGIN));
    }

    boolean overBudget(long startNanos, long nowNanos) {
        return nowNanos - startNanos > budget.toNanos();
    }

    /** The opening rarely waits for one lock; one that waits for more than two in a row is run again, blamed on nobody. */
    long openingDeadline(long nowNanos) {
        return nowNanos + lock.toNanos() * 2 + MARGIN.toNanos();
    }

    /** Of one call of a handler, or of decoding one record. */
    public long handlerDeadline(long nowNanos) {
        return nowNanos + handler.toNanos();
    }

    /** A message alone has the handler's whole limit for its declared updates too. */
    long groupDeadline(long startNanos, int size) {
        return startNanos + (size == 1 ? handler : handler.plus(budget)).toNanos();
    }

    /** COMMIT may have to wait for a standby; beyond this its connection is closed and its outcome unknown. */
    long commitDeadline(long nowNanos) {
        return nowNanos + handler.plus(MARGIN).toNanos();
    }
}
