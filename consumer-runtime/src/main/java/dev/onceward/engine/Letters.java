package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.ErrorText;
import java.time.Clock;
import java.time.Instant;
import java.util.Objects;

/** Writes dead letters: what is known about a message at the moment it is given up. */
final class Letters {
    private final String workerId;
    private final Clock clock;

    Letters(String workerId, Clock clock) {
        this.workerId = workerId;
        this.clock = clock;
    }

    DeadLetter write(Delivery delivery, DeadLetterReason reason, Throwable error, int attempts) {
        ErrorText text = ErrorText.of(error);
        Instant now = clock.instant();
        return new DeadLetter(
                delivery.identity(),
                delivery.origin(),
                delivery.messageId,
                reason,
                text.errorClass(),
                text.message(),
                text.stacktrace(),
                attempts,
                Objects.requireNonNullElse(delivery.firstFailedAt, now),
                now,
                workerId,
                delivery.partition().fence().generation());
    }
}
