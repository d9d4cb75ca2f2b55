package dev.onceward.runtime;

import java.util.List;

/**
 * How a runtime is at the moment; asks neither the database nor the broker.
 *
 * <p>The thread that polls Kafka goes round many times a second, whatever handlers, database and broker do. If it has not
 * for twice {@code limits.drain} and 10 s (30 s by default), at most half of Kafka's {@code max.poll.interval.ms}, the
 * runtime is not ready; if it has not for the whole of {@code max.poll.interval.ms} (5 min by default), the group has
 * given its partitions to others, and it is not live.
 *
 * @param live false if only a new runtime helps: the worker has failed, was stopped, or its poll thread is stuck for so
 *     long that the group has gone on without it
 * @param ready whether it consumes, or would if there were something to consume, and is in no trouble
 * @param troubles why it is not ready, each in one sentence; empty if it is. Among them: handlers that ignore their time
 *     limit still run (each keeps a thread and a connection, and after {@code limits.max-stuck-handlers} the worker
 *     fails), although the other messages go on
 */
public record Health(boolean live, boolean ready, List<String> troubles) {
    public Health {
        troubles = List.copyOf(troubles);
    }
}
