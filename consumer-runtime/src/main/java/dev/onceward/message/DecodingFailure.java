package dev.onceward.message;

import dev.onceward.failure.Throwables;
import dev.onceward.handler.UnavailableException;
import java.io.InterruptedIOException;
import java.net.SocketException;
import java.nio.channels.ClosedByInterruptException;
import java.util.function.Predicate;
import org.apache.kafka.common.errors.CorruptRecordException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RetriableException;
import org.jspecify.annotations.Nullable;

/** Whose fault it is that a record was not decoded. Libraries wrap, so the whole chain of causes is asked. */
final class DecodingFailure {
    private DecodingFailure() {}

    /** An error of the JVM itself, to be thrown on. A stack overflow is none: deeply nested payloads lead to it. */
    static @Nullable VirtualMachineError fatal(Throwable failure) {
        return (VirtualMachineError)
                find(failure, cause -> cause instanceof VirtualMachineError && !(cause instanceof StackOverflowError));
    }

    /**
     * Whether the record is not to blame. Of IOException only what no decoding of bytes in memory can throw: formats
     * report malformed input as one, and a name that cannot be resolved may stand in the payload.
     */
    static boolean notTheRecord(Throwable failure) {
        return find(failure, DecodingFailure::outage) != null;
    }

    private static boolean outage(Throwable cause) {
        return cause instanceof UnavailableException
                || (cause instanceof RetriableException && !(cause instanceof CorruptRecordException))
                || cause instanceof SocketException
                || cause instanceof InterruptedIOException; // SocketTimeoutException is one
    }

    /** Whether an interrupt shows in it. */
    static boolean ofInterrupt(Throwable failure) {
        return find(
                        failure,
                        cause -> cause instanceof InterruptedException
                                || cause instanceof InterruptException
                                || cause instanceof ClosedByInterruptException)
                != null;
    }

    private static @Nullable Throwable find(Throwable failure, Predicate<Throwable> wanted) {
        return Throwables.causes(failure).stream().filter(wanted).findFirst().orElse(null);
    }
}
