package dev.onceward.engine;

import dev.onceward.config.IdReuse;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.effect.AfterEffects;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import dev.onceward.metrics.RuntimeMeters;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.FencedTransaction;
import java.time.Clock;

/** What all lanes of a worker share. */
record LaneParts(
        Worker worker,
        Gate gate,
        FencedTransaction fenced,
        AttemptTable attempts,
        DeadLetterTable deadLetters,
        AfterEffects afterEffects,
        DeadLetterPublisher publisher,
        Letters letters,
        Backoff backoff,
        Classifier classifier,
        IdReuse idReuse,
        RuntimeMeters meters,
        Clock clock) {}
