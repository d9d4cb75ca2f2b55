package dev.onceward.postgres;

import java.time.Duration;

/**
 * Server-side limits of one transaction. They are the net below the runtime's own clock, which ends a handler first:
 * larger than handler limit plus group budget.
 *
 * @param lock waiting for one lock
 * @param statement one statement, or idle between two
 * @param transaction the whole transaction, where the server knows such a limit (PostgreSQL 17)
 */
public record TransactionLimits(Duration lock, Duration statement, Duration transaction) {}
