package dev.onceward.dlq.output;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the command writes to and reads from.
 *
 * @param input whether standard input is a terminal: only then is anything asked
 * @param output whether standard output is a terminal: only then are tables cut to its width
 * @param error whether standard error is a terminal: only then is progress drawn over itself
 * @param width columns of the terminal
 * @param colour whether escape sequences for colour may be written, where it is a terminal
 */
public record Terminal(boolean input, boolean output, boolean error, int width, boolean colour) {
    /** From the launcher: the descriptors that are terminals, as in {@code 012}. */
    private static final String STREAMS = "DLQ_TERMINALS";

    private static final int USUAL_WIDTH = 80;
    private static final int NARROWEST = 20;
    private static final int WIDEST = 10_000;

    /** No terminal at all: pipes and files. */
    public static final Terminal NONE = new Terminal(false, false, false, USUAL_WIDTH, false);

    /**
     * As the environment tells: {@code COLUMNS} (which shells keep to themselves, so the launcher passes it on),
     * {@code TERM} and {@code NO_COLOR}.
     */
    public static Terminal detect(Map<String, String> environment) {
        boolean plain = "dumb".equals(environment.get("TERM"))
                || !environment.getOrDefault("NO_COLOR", "").isEmpty();
        String streams = environment.get(STREAMS);
        return new Terminal(
                isTerminal(0, streams),
                isTerminal(1, streams),
                isTerminal(2, streams),
                width(environment.get("COLUMNS")),
                !plain);
    }

    private static int width(@Nullable String columns) {
        if (columns == null || !columns.strip().matches("[0-9]{1,5}")) {
            return USUAL_WIDTH;
        }
        int width = Integer.parseInt(columns.strip());
        return width == 0 ? USUAL_WIDTH : Math.max(NARROWEST, Math.min(width, WIDEST));
    }

    /** By the launcher's word, else by what stands behind the descriptor: the JDK tells only of all of them at once. */
    private static boolean isTerminal(int descriptor, @Nullable String streams) {
        if (streams != null) {
            return streams.contains(String.valueOf(descriptor));
        }
        try {
            Path link = Path.of("/proc/self/fd", String.valueOf(descriptor));
            String target = Files.readSymbolicLink(link).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException | UnsupportedOperationException e) {
            return false; // no Linux
        }
    }
}
