package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.FailureClass;
import java.time.Duration;

/** What is to be done next with a message; each step is safe to repeat. */
sealed interface Step {

    /** Run its handler. */
    record Run() implements Step {}

    /** Write down that an attempt failed, then wait. */
    record RecordFailure(int attempts, Duration delay, String error, FailureClass failure) implements Step {}

    /** Write down that it is given up. */
    record Decide(DeadLetter letter) implements Step {}

    /** Publish it to the dead-letter topic. */
    record Publish(DeadLetter letter) implements Step {}

    /** Write down which copy the broker acknowledged. */
    record Confirm(DeadLetter letter, Coordinates copy) implements Step {}
}
