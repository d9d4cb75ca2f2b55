package dev.onceward.dlq.transfer;

import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.People;
import java.util.ArrayList;
import java.util.List;

/** What could not be done, and why. The first are told one by one, all are counted. */
final class Problems {
    private static final int TOLD = 20;

    private final Console console;
    private final List<String> first = new ArrayList<>();
    private long count;

    Problems(Console console) {
        this.console = console;
    }

    void add(String problem) {
        count++;
        if (first.size() < TOLD) {
            first.add(problem);
            console.say("dlq: " + problem);
        } else if (count == TOLD + 1) {
            console.say("dlq: … and more that are only counted from here on");
        }
    }

    long count() {
        return count;
    }

    /** For the audit trail. */
    String detail() {
        long more = count - first.size();
        return String.join("\n", first) + (more > 0 ? "\n… and " + People.count(more) + " more" : "");
    }
}
