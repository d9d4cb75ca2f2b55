package dev.onceward.engine;

import org.jspecify.annotations.Nullable;

/** A process that a worker of the consumer runs in. */
final class SimWorker {
    final String name;
    boolean dead;
    boolean stopping;
    boolean stopped;
    long frozenUntil;
    long withoutDatabaseUntil;
    long withoutKafkaUntil;
    long withoutPublisherUntil;

    @Nullable
    Engine engine;

    @Nullable
    Lifecycle lifecycle;

    SimWorker(String name) {
        this.name = name;
    }

    /** Whether it may still come to an end of its own. */
    boolean lives() {
        return !dead && !stopped;
    }
}
