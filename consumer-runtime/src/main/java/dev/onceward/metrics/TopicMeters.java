package dev.onceward.metrics;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.MeterNames;
import dev.onceward.handler.FailureClass;
import dev.onceward.metrics.RuntimeMeters.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Counters and timers of one topic. All are made at once: a counter that appears with its first event hides that event
 * from a rate.
 */
final class TopicMeters {
    private final Map<Outcome, Counter> finished = new EnumMap<>(Outcome.class);
    private final Map<FailureClass, Counter> attemptsFailed = new EnumMap<>(FailureClass.class);
    private final Map<DeadLetterReason, Counter> deadLetters = new EnumMap<>(DeadLetterReason.class);
    private final Counter deadLettersUnpublished;
    private final Counter retriesSucceeded;
    private final Counter recordsLost;
    private final Timer handler;
    private final Timer endToEnd;

    TopicMeters(Registrar registrar, String topic) {
        for (Outcome outcome : Outcome.values()) {
            finished.put(outcome, registrar.counter(MeterNames.MESSAGES, topic, outcome.name()));
        }
        for (FailureClass failure : FailureClass.values()) {
            attemptsFailed.put(failure, registrar.counter(MeterNames.ATTEMPTS_FAILED, topic, failure.name()));
        }
        for (DeadLetterReason reason : DeadLetterReason.values()) {
            deadLetters.put(reason, registrar.counter(MeterNames.DEAD_LETTERS, topic, reason.name()));
        }
        deadLettersUnpublished = registrar.counter(MeterNames.DEAD_LETTERS_UNPUBLISHED, topic);
        retriesSucceeded = registrar.counter(MeterNames.RETRIES_SUCCEEDED, topic);
        recordsLost = registrar.counter(MeterNames.RECORDS_LOST, topic);
        handler = registrar.timer(MeterNames.HANDLER, topic);
        endToEnd = registrar.timer(MeterNames.END_TO_END, topic);
    }

    void finished(Outcome outcome, long count) {
        increment(finished, outcome, count);
    }

    void attemptFailed(FailureClass failure) {
        increment(attemptsFailed, failure, 1);
    }

    void deadLetter(DeadLetterReason reason) {
        increment(deadLetters, reason, 1);
    }

    void deadLetterUnpublished() {
        deadLettersUnpublished.increment();
    }

    void retrySucceeded() {
        retriesSucceeded.increment();
    }

    void recordsLost(long count) {
        recordsLost.increment((double) count);
    }

    void handlerTime(long nanos) {
        handler.record(nanos, TimeUnit.NANOSECONDS);
    }

    void endToEnd(long millis) {
        endToEnd.record(millis, TimeUnit.MILLISECONDS);
    }

    private static <E extends Enum<E>> void increment(Map<E, Counter> counters, E which, long count) {
        Counter counter = counters.get(which);
        if (counter != null) { // one for each constant, which the compiler cannot know
            counter.increment((double) count);
        }
    }
}
