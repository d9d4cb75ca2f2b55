package dev.onceward.examples.demo;

import dev.onceward.catalog.EventNames;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Counts the events in the log lines of the workers. Only for telling what happened: the verdict does not look here. */
final class EventLines {

    private static final Pattern EVENT = Pattern.compile("\\b" + EventNames.KEY + "=\"(\\w+)\"");

    private final Map<String, LongAdder> counts = new ConcurrentHashMap<>();

    /** Takes a line of any worker; called by several threads. */
    void accept(String line) {
        Matcher matcher = EVENT.matcher(line);
        if (matcher.find()) {
            counts.computeIfAbsent(matcher.group(1), event -> new LongAdder()).increment();
        }
    }

    long count(EventNames event) {
        LongAdder count = counts.get(event.event());
        return count == null ? 0 : count.sum();
    }
}
