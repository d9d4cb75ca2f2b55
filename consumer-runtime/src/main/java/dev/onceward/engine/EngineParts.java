package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.effect.GroupLimits;
import dev.onceward.handler.FailureClassifier;
import dev.onceward.metrics.RuntimeMeters;
import java.time.Clock;
import java.util.Map;
import java.util.random.RandomGenerator;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** What an engine is made of that is known before the database was asked. */
record EngineParts(
        ConsumerSettings settings,
        Map<String, Route> routes,
        @Nullable FailureClassifier classifier,
        RuntimeMeters meters,
        Lifecycle lifecycle,
        Jdbi jdbi,
        Clock clock,
        RandomGenerator random,
        String workerId,
        String host,
        String version) {

    /** Time limits of a lane's groups. */
    GroupLimits limits() {
        return new GroupLimits(
                settings.limits().handler(),
                settings.concurrency().groupBudget(),
                settings.limits().lock());
    }

    /** What the names of the worker's threads begin with. */
    String threads() {
        return "onceward-" + settings.consumer();
    }
}
