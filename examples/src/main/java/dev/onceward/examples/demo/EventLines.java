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
    private static final Pattern MESSAGES = Pattern.compile("\\bmessages=\"(\\d+)\"");

    private final Map<String, LongAdder> lines = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> messages = new ConcurrentHashMap<>();

    /** Takes a line of any worker; called by several threads. */
    void accept(String line) {
        Matcher event = EVENT.matcher(line);
        if (event.find()) {
            add(lines, event.group(1), 1);
            Matcher count = MESSAGES.matcher(line);
            add(messages, event.group(1), count.find() ? Long.parseLong(count.group(1)) : 1);
        }
    }

    /** Lines that tell of this event. */
    long lines(EventNames event) {
        return sum(lines, event);
    }

    /** Messages that it befell: a line may tell of several. */
    long messages(EventNames event) {
        return sum(messages, event);
    }

    private static void add(Map<String, LongAdder> sums, String event, long number) {
        sums.computeIfAbsent(event, name -> new LongAdder()).add(number);
    }

    private static long sum(Map<String, LongAdder> sums, EventNames event) {
        LongAdder sum = sums.get(event.event());
        return sum == null ? 0 : sum.sum();
    }
}
