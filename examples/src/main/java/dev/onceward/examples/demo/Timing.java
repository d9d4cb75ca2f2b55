package dev.onceward.examples.demo;

import java.time.Duration;

/** Times of the workers, shorter than in production so that a run with several faults stays short. */
final class Timing {

    /** Without a heartbeat for so long a worker is dead for Kafka. */
    static final Duration SESSION_TIMEOUT = Duration.ofSeconds(6);

    static final Duration KAFKA_HEARTBEAT = Duration.ofMillis(1500);

    /** Without a heartbeat for so long a worker starts no transaction. */
    static final Duration LEASE = Duration.ofSeconds(5);

    static final Duration HEARTBEAT = Duration.ofSeconds(1);

    /** How long a takeover waits for open transactions of the old owner. */
    static final Duration TAKEOVER_GRACE = Duration.ofSeconds(1);

    /** How long a worker may take to stop. */
    static final Duration SHUTDOWN = Duration.ofSeconds(10);

    private Timing() {}
}
