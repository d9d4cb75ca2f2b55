package dev.onceward.engine;

import dev.onceward.config.IdReuse;
import dev.onceward.deadletter.Publisher;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import dev.onceward.metrics.RuntimeMeters;
import java.time.Clock;

/** What all lanes of a worker share. */
record LaneParts(
        Worker worker,
        Gate gate,
        FencedRecords records,
        Publisher publisher,
        Letters letters,
        Backoff backoff,
        Classifier classifier,
        IdReuse idReuse,
        RuntimeMeters meters,
        Clock clock,
        Machine machine) {}
