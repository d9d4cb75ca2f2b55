package dev.onceward.deadletter;

import dev.onceward.failure.Throwables;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a failure: bounded, valid Unicode without U+0000, no control characters but the line feeds and tabs
 * of the stack trace.
 *
 * @param errorClass class of the root cause, at most {@value #MAX_CLASS_BYTES} bytes of UTF-8
 * @param message message of the root cause on one line, else of the nearest failure around it that has one, else empty;
 *     at most {@value #MAX_MESSAGE_BYTES} bytes
 * @param stacktrace every cause with as many of its frames as fit, at most {@value #MAX_STACKTRACE_BYTES} bytes
 */
public record ErrorText(String errorClass, String message, String stacktrace) {

    /** Bound of {@link #errorClass()}. */
    public static final int MAX_CLASS_BYTES = 500;

    /** Bound of {@link #message()}. */
    public static final int MAX_MESSAGE_BYTES = 2_048;

    /** Bound of {@link #stacktrace()}. */
    public static final int MAX_STACKTRACE_BYTES = 8_192;

    /** A chain this long is a loop or a defect; what stands behind says nothing new. */
    private static final int MAX_CAUSES = 50;

    /** What is kept of a failure. Never throws, whatever the failure's own methods do. */
    public static ErrorText of(Throwable failure) {
        List<Throwable> chain = chain(failure);
        Throwable root = chain.get(chain.size() - 1);
        return new ErrorText(
                SafeText.line(root.getClass().getName(), MAX_CLASS_BYTES),
                SafeText.line(innermostMessage(chain), MAX_MESSAGE_BYTES),
                StackTraceText.of(chain, MAX_STACKTRACE_BYTES));
    }

    /** A failure that is no exception: a decision of the runtime itself. */
    public static ErrorText of(String errorClass, String message) {
        return new ErrorText(SafeText.line(errorClass, MAX_CLASS_BYTES), SafeText.line(message, MAX_MESSAGE_BYTES), "");
    }

    /** From the failure to its root cause; not empty. */
    private static List<Throwable> chain(Throwable failure) {
        List<Throwable> chain = Throwables.causes(failure);
        return chain.subList(0, Math.min(chain.size(), MAX_CAUSES));
    }

    private static String innermostMessage(List<Throwable> chain) {
        for (int i = chain.size() - 1; i >= 0; i--) {
            String message = messageOf(chain.get(i));
            if (message != null && !message.isBlank()) {
                return message;
            }
        }
        return "";
    }

    /** The failure's message; an exception of a team may override this, and throw. */
    static @Nullable String messageOf(Throwable failure) {
        try {
            String message = failure.getLocalizedMessage();
            return message == null ? null : RowData.leftOut(message, failure);
        } catch (Throwable broken) {
            return "(its getMessage() failed with " + broken.getClass().getName() + ")";
        }
    }
}
