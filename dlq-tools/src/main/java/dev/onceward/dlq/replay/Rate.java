package dev.onceward.dlq.replay;

import dev.onceward.dlq.exit.Stop;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Spreads what is sent evenly over time. Falling behind is not made up for: the rate is never exceeded. One thread. */
public final class Rate {
    private static final Pattern TEXT = Pattern.compile("([0-9]{1,9})\\s*/\\s*(s|m|h)");
    private static final long NOW_AND_THEN = Duration.ofMillis(50).toNanos();

    private final long intervalNanos;
    private final LongSupplier clock;
    private final LongConsumer sleep;
    private long next;
    private boolean begun;

    private Rate(long intervalNanos, LongSupplier clock, LongConsumer sleep) {
        this.intervalNanos = intervalNanos;
        this.clock = clock;
        this.sleep = sleep;
    }

    /** As fast as it goes. */
    public static Rate unlimited() {
        return new Rate(0, System::nanoTime, LockSupport::parkNanos);
    }

    /**
     * Reads {@code 100/s}, {@code 30/m}, {@code 5/h}.
     *
     * @throws IllegalArgumentException it is none of these
     */
    public static Rate parse(String text) {
        return parse(text, System::nanoTime, LockSupport::parkNanos);
    }

    static Rate parse(String text, LongSupplier clock, LongConsumer sleep) {
        Matcher matcher = TEXT.matcher(text.strip());
        if (!matcher.matches() || Long.parseLong(matcher.group(1)) == 0) {
            throw new IllegalArgumentException("'" + text + "' is no rate; write 100/s, 30/m or 5/h");
        }
        Duration unit = switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            default -> Duration.ofHours(1);
        };
        return new Rate(unit.toNanos() / Long.parseLong(matcher.group(1)), clock, sleep);
    }

    /**
     * Waits until the next one may be sent, or until it is stopped.
     *
     * @param meanwhile is called now and then
     */
    void await(Stop stop, Meanwhile meanwhile) throws SQLException {
        if (intervalNanos == 0) {
            return;
        }
        long now = clock.getAsLong();
        if (!begun || next - now < 0) {
            next = now;
            begun = true;
        }
        // In small steps, so that Ctrl-C need not wait for one message an hour.
        while (next - now > 0 && !stop.requested()) {
            sleep.accept(Math.min(next - now, NOW_AND_THEN));
            meanwhile.run();
            now = clock.getAsLong();
        }
        next += intervalNanos;
    }

    /** What is to be done during a wait. */
    @FunctionalInterface
    interface Meanwhile {
        void run() throws SQLException;
    }
}
