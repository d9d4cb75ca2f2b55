package dev.onceward.effect;

import dev.onceward.failure.Classifier;
import dev.onceward.postgres.Opening;
import java.time.Clock;
import org.jdbi.v3.core.Jdbi;

/** What every run of a lane's groups needs. */
record TransactionParts(
        Opening opening,
        AfterEffects afterEffects,
        Classifier classifier,
        GroupLimits limits,
        TransactionWatch watch,
        Jdbi jdbi,
        Clock clock) {}
