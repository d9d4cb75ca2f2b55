package dev.onceward.chaos;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a worker process holds at a moment, told by its JVM and not by the runtime.
 *
 * @param threads that run
 * @param files open files, connections above all; -1: this system does not tell
 * @param series of its meter registry
 */
record Vitals(long threads, long files, long series) {
    /** The names, in the order of {@link #values}. */
    static final List<String> NAMES = List.of("threads", "open files", "series");

    private static final Pattern LINE = Pattern.compile("vitals threads=(\\d+) files=(-?\\d+) series=(\\d+)");

    static Vitals now(int series) {
        long files = ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system
                ? system.getOpenFileDescriptorCount()
                : -1;
        return new Vitals(Thread.getAllStackTraces().size(), files, series);
    }

    /** As a line of output. */
    String line() {
        return "vitals threads=" + threads + " files=" + files + " series=" + series;
    }

    static Optional<Vitals> parse(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.matches()
                ? Optional.of(new Vitals(
                        Long.parseLong(matcher.group(1)),
                        Long.parseLong(matcher.group(2)),
                        Long.parseLong(matcher.group(3))))
                : Optional.empty();
    }

    List<Long> values() {
        return List.of(threads, files, series);
    }
}
