package dev.onceward.runtime;

import java.util.List;

/**
 * How a runtime is at the moment; asks neither the database nor the broker.
 *
 * @param live false only if a restart helps: the worker has failed
 * @param ready whether it consumes, or would if there were something to consume
 * @param troubles why it is not ready, each in one sentence; empty if it is
 */
public record Health(boolean live, boolean ready, List<String> troubles) {
    public Health {
        troubles = List.copyOf(troubles);
    }
}
