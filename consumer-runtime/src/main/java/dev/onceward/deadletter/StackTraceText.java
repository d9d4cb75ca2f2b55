package dev.onceward.deadletter;

import java.util.List;

/**
 * A stack trace of bounded size that shows every cause. The JDK's own text, cut at a bound, would lose the root cause
 * first, which is the one that matters.
 */
final class StackTraceText {
    private static final int[] FRAMES = {100, 50, 25, 12, 6, 3, 1, 0};
    private static final int HEADLINE_BYTES = 1_000;
    private static final int SHORT_HEADLINE_BYTES = 150;
    private static final int MAX_SUPPRESSED = 3;

    private StackTraceText() {}

    /** From the failure to its root cause, each with as many frames as let the whole fit. */
    static String of(List<Throwable> chain, int maxBytes) {
        String text = "";
        for (int frames : FRAMES) {
            text = render(chain, frames);
            if (SafeText.utf8Length(text) <= maxBytes) {
                return text;
            }
        }
        return SafeText.cut(text, maxBytes);
    }

    private static String render(List<Throwable> chain, int maxFrames) {
        int headlineBytes = maxFrames == 0 ? SHORT_HEADLINE_BYTES : HEADLINE_BYTES;
        StringBuilder out = new StringBuilder();
        for (Throwable failure : chain) {
            out.append(out.isEmpty() ? "" : "Caused by: ")
                    .append(headline(failure, headlineBytes))
                    .append('\n');
            frames(out, framesOf(failure), maxFrames);
            suppressed(out, failure.getSuppressed(), Math.min(maxFrames, MAX_SUPPRESSED));
        }
        return SafeText.lines(out.toString(), Integer.MAX_VALUE);
    }

    private static String headline(Throwable failure, int maxBytes) {
        String message = ErrorText.messageOf(failure);
        String name = failure.getClass().getName();
        return SafeText.line(message == null ? name : name + ": " + message, maxBytes);
    }

    private static StackTraceElement[] framesOf(Throwable failure) {
        try {
            StackTraceElement[] frames = failure.getStackTrace();
            return frames == null ? new StackTraceElement[0] : frames;
        } catch (Throwable broken) { // overridden, and broken
            return new StackTraceElement[0];
        }
    }

    private static void frames(StringBuilder out, StackTraceElement[] frames, int maxFrames) {
        int shown = Math.min(frames.length, maxFrames);
        for (int i = 0; i < shown; i++) {
            out.append("\tat ").append(frames[i]).append('\n');
        }
        more(out, frames.length - shown);
    }

    private static void suppressed(StringBuilder out, Throwable[] suppressed, int max) {
        int shown = Math.min(suppressed.length, max);
        for (int i = 0; i < shown; i++) {
            out.append("\tSuppressed: ")
                    .append(headline(suppressed[i], HEADLINE_BYTES))
                    .append('\n');
        }
        more(out, suppressed.length - shown);
    }

    private static void more(StringBuilder out, int count) {
        if (count > 0) {
            out.append("\t... ").append(count).append(" more\n");
        }
    }
}
