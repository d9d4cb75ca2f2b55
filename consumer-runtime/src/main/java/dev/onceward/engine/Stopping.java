package dev.onceward.engine;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Steps of an end: one that fails must not keep the next from being done. */
final class Stopping {
    private static final Logger LOG = LoggerFactory.getLogger(Stopping.class);

    private Stopping() {}

    static void quietly(String what, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            LOG.atInfo().setCause(e).log("Failed while stopping: {}", what);
        }
    }
}
