package dev.onceward.engine;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.UnsupportedAssignorException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Failures of polling: what can be mended from outside (rights, certificates, a broker that is down) is waited for and
 * shown, what cannot ends the worker.
 */
final class PollTrouble {
    private static final Logger LOG = LoggerFactory.getLogger(PollTrouble.class);
    private static final long PAUSE_NANOS = Duration.ofMillis(500).toNanos();

    private volatile @Nullable String text;

    void over() {
        if (text != null) {
            text = null;
            LOG.atInfo().log("Polling works again");
        }
    }

    /** Waits a moment; throws what no waiting can mend. */
    void failed(KafkaException failure) {
        if (failure instanceof FencedInstanceIdException // another worker uses our group.instance.id
                || failure instanceof UnsupportedVersionException
                || failure instanceof UnsupportedAssignorException
                || failure instanceof InterruptException) {
            throw failure;
        }
        String now = failure.toString();
        if (!now.equals(text)) {
            text = now;
            LOG.atWarn().setCause(failure).log("Polling failed; tried again until it works");
        }
        LockSupport.parkNanos(PAUSE_NANOS);
    }

    /** What is wrong at the moment. */
    Optional<String> text() {
        return Optional.ofNullable(text);
    }
}
