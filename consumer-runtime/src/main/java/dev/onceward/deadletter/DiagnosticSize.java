package dev.onceward.deadletter;

import java.util.Optional;

/**
 * How much is said about a failure on the dead letter itself. Where the record would become too large for producer or
 * topic, the next smaller size is tried: diagnostics shrink, the payload never does.
 */
enum DiagnosticSize {
    FULL(ErrorText.MAX_STACKTRACE_BYTES, ErrorText.MAX_MESSAGE_BYTES),
    SHORT_TRACE(1_024, ErrorText.MAX_MESSAGE_BYTES),
    NO_TRACE(0, ErrorText.MAX_MESSAGE_BYTES),
    SHORT_MESSAGE(0, 200),
    /** Only what names the record that first failed. */
    ORIGIN(0, 0),
    /** A payload that just fits into its own topic: the {@code dead_letters} table alone says what happened. */
    NONE(0, 0);

    private final int stacktraceBytes;
    private final int messageBytes;

    DiagnosticSize(int stacktraceBytes, int messageBytes) {
        this.stacktraceBytes = stacktraceBytes;
        this.messageBytes = messageBytes;
    }

    int stacktraceBytes() {
        return stacktraceBytes;
    }

    int messageBytes() {
        return messageBytes;
    }

    Optional<DiagnosticSize> smaller() {
        return switch (this) {
            case FULL -> Optional.of(SHORT_TRACE);
            case SHORT_TRACE -> Optional.of(NO_TRACE);
            case NO_TRACE -> Optional.of(SHORT_MESSAGE);
            case SHORT_MESSAGE -> Optional.of(ORIGIN);
            case ORIGIN -> Optional.of(NONE);
            case NONE -> Optional.empty();
        };
    }
}
