package dev.onceward.dlq.output;

import java.time.Duration;
import java.util.function.LongSupplier;

/** How far it is: a bar drawn over itself on a terminal, else a line every few seconds. On standard error. */
public final class Progress {
    private static final long DRAW_NANOS = Duration.ofMillis(200).toNanos();
    private static final long LINE_NANOS = Duration.ofSeconds(5).toNanos();
    private static final int BAR = 24;
    private static final String ERASE = "\r\u001b[K";

    private final Console console;
    private final LongSupplier clock;
    private final String verb;
    private final long total;
    private final long started;
    private long drawn;
    private boolean onLine;

    /** Of so many; {@code verb} is what is done to them: {@code sent}. */
    public Progress(Console console, String verb, long total) {
        this(console, verb, total, System::nanoTime);
    }

    Progress(Console console, String verb, long total, LongSupplier clock) {
        this.console = console;
        this.clock = clock;
        this.verb = verb;
        this.total = total;
        this.started = clock.getAsLong();
        this.drawn = started;
    }

    /** Draws if it is time to. */
    public void show(long done) {
        long now = clock.getAsLong();
        boolean terminal = console.terminal().error();
        if (now - drawn < (terminal ? DRAW_NANOS : LINE_NANOS)) {
            return;
        }
        drawn = now;
        if (terminal) {
            console.err().print(ERASE + line(done, now, true));
            console.err().flush();
            onLine = true;
        } else {
            console.err().println(line(done, now, false));
        }
    }

    /** A message between two drawings. */
    public void say(String message) {
        clear();
        console.say(message);
    }

    /** Takes the bar away. */
    public void clear() {
        if (onLine) {
            console.err().print(ERASE);
            console.err().flush();
            onLine = false;
        }
    }

    String line(long done, long now, boolean bar) {
        double seconds = Math.max(0.001, (now - started) / 1e9);
        double rate = done / seconds;
        StringBuilder line = new StringBuilder();
        if (bar) {
            int full = total == 0 ? BAR : (int) Math.min(BAR, BAR * done / total);
            line.append('[')
                    .append("█".repeat(full))
                    .append(" ".repeat(BAR - full))
                    .append("] ");
        }
        line.append(People.count(done))
                .append(" of ")
                .append(People.count(total))
                .append(' ')
                .append(verb);
        line.append(", ")
                .append(rate < 10 ? String.format("%.1f", rate) : People.count(Math.round(rate)))
                .append("/s");
        if (done > 0 && done < total) {
            line.append(", ")
                    .append(People.duration(Duration.ofSeconds(Math.round((total - done) / rate))))
                    .append(" left");
        }
        return line.toString();
    }
}
