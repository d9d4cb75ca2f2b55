package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import java.time.Duration;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.FencedInstanceIdException;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.apache.kafka.common.errors.GroupMaxSizeReachedException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidRequestException;
import org.apache.kafka.common.errors.UnreleasedInstanceIdException;
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

    private final boolean consumerProtocol;
    private final Machine machine;
    private volatile @Nullable String text;

    /** @param consumerProtocol whether the group is the broker's ({@code group.protocol=consumer}) */
    PollTrouble(boolean consumerProtocol, Machine machine) {
        this.machine = machine;
        this.consumerProtocol = consumerProtocol;
    }

    void over() {
        if (text != null) {
            text = null;
            LOG.atInfo().addKeyValue(EventNames.KEY, EventNames.POLLING_RESUMED).log("Polling works again");
        }
    }

    /** Waits a moment; throws what no waiting can mend. */
    void failed(KafkaException failure) {
        if (failure instanceof FencedInstanceIdException // another worker uses our group.instance.id
                || failure instanceof UnsupportedVersionException
                || failure instanceof UnsupportedAssignorException
                || failure instanceof InterruptException
                || (consumerProtocol && endsMembership(failure))) {
            throw failure;
        }
        String now = failure.toString();
        if (!now.equals(text)) {
            text = now;
            LOG.atWarn()
                    .setCause(failure)
                    .addKeyValue(EventNames.KEY, EventNames.POLLING_FAILED)
                    .log("Polling failed; tried again until it works");
        }
        machine.pause(PAUSE_NANOS);
    }

    /** With the broker's protocol the client says these once, and then never joins again: better an end than a sleep. */
    private static boolean endsMembership(KafkaException failure) {
        return failure instanceof GroupAuthorizationException
                || failure instanceof AuthenticationException
                || failure instanceof GroupMaxSizeReachedException
                || failure instanceof UnreleasedInstanceIdException
                || failure instanceof InvalidRequestException;
    }

    /** What is wrong at the moment. */
    Optional<String> text() {
        return Optional.ofNullable(text);
    }
}
