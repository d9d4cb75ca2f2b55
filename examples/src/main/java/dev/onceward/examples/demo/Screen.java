package dev.onceward.examples.demo;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/** What the one who runs the demo sees: on a terminal a line that changes in place, elsewhere one line after the other. */
final class Screen {

    /** How often progress is printed where it cannot be shown in place. */
    private static final Duration PLAIN_INTERVAL = Duration.ofSeconds(5);

    private static final int BAR = 24;

    /** Without wrapping: what is too long for the line is cut off, and a single line can be erased again. */
    private static final String NO_WRAP = "\u001b[?7l";

    private static final String WRAP = "\u001b[?7h";

    private final PrintStream out;
    private final boolean terminal;
    private final long start = System.nanoTime();
    private String live = "";
    private String lastBroken = "";
    private long lastBrokenAt;
    private long lastPlainAt = Long.MIN_VALUE;

    Screen(PrintStream out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    /** A line that stays. */
    synchronized void say(String line) {
        erase();
        out.println(line);
        out.print(live);
        out.flush();
    }

    /** A line that stays, with the time since the start before it. */
    void news(String line) {
        say(String.format(Locale.ROOT, "%6.1f s  %s", seconds(), line));
    }

    synchronized void broke(Strike strike) {
        lastBroken = strike.what();
        lastBrokenAt = System.nanoTime();
        news(String.format(
                Locale.ROOT,
                "** %s (at %.0f%%, at least %,d messages waiting in each partition%s)",
                strike.what(),
                100 * strike.load().progress(),
                strike.load().smallestBacklog(),
                strike.underLoad() ? "" : ": NOT under load"));
    }

    /**
     * Shows how far the run is.
     *
     * @param messages that are to take effect
     * @param rate effects a second, over the last seconds
     */
    synchronized void progress(Tracker.Position position, int messages, double rate) {
        double part = Math.min(1, (double) position.effects() / messages);
        String text = String.format(
                Locale.ROOT,
                "%3.0f%%  processed %,d of %,d  %,.0f/s  oldest %.1f s",
                Math.floor(100 * part),
                position.effects(),
                messages,
                rate,
                position.oldestAge().toMillis() / 1000.0);
        if (terminal) {
            erase();
            live = NO_WRAP + bar(part) + text + broken() + WRAP;
            out.print(live);
            out.flush();
        } else if (lastPlainAt == Long.MIN_VALUE || System.nanoTime() - lastPlainAt >= PLAIN_INTERVAL.toNanos()) {
            lastPlainAt = System.nanoTime();
            news(text);
        }
    }

    /** Takes the changing line away. */
    synchronized void endProgress() {
        erase();
        live = "";
        out.flush();
    }

    double seconds() {
        return (System.nanoTime() - start) / 1e9;
    }

    private String broken() {
        return lastBroken.isEmpty()
                ? ""
                : String.format(Locale.ROOT, "  | %s %.0f s ago", lastBroken, (System.nanoTime() - lastBrokenAt) / 1e9);
    }

    private static String bar(double part) {
        int done = (int) (BAR * part);
        return "[" + "#".repeat(done) + ".".repeat(BAR - done) + "] ";
    }

    private void erase() {
        if (!live.isEmpty()) {
            out.print("\r\u001b[K");
        }
    }
}
