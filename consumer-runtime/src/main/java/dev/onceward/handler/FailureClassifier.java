package dev.onceward.handler;

import org.jspecify.annotations.Nullable;

/** A team's own word on a failure, asked before the built-in rules. Must be thread-safe and
 * should not throw: if it does, the built-in rules decide. */
@FunctionalInterface
public interface FailureClassifier {

    /** The class of the failure, or {@code null} to leave it to the built-in rules. */
    @Nullable
    FailureClass classify(Throwable failure);
}
