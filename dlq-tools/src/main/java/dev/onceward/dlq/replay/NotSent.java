package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Progress;
import java.util.ArrayList;
import java.util.List;

/** What a replay did not send, and why. The first are told one by one, all are counted. */
final class NotSent {
    private static final int TOLD = 20;

    private final Progress progress;
    private final List<String> first = new ArrayList<>();
    private long count;
    private long refused;

    NotSent(Progress progress) {
        this.progress = progress;
    }

    /** One that cannot be sent. */
    void failed(Letter letter, String why) {
        count++;
        if (first.size() < TOLD) {
            String line = letter.name() + " not sent: " + why;
            first.add(line);
            progress.say("dlq: " + line);
        } else if (count == TOLD + 1) {
            progress.say("dlq: … and more that are only counted from here on");
        }
    }

    /** One that could be sent and must not be. */
    void refused(Letter letter, String why) {
        refused++;
        failed(letter, why);
    }

    long count() {
        return count;
    }

    /** Whether every one of them was refused. */
    boolean onlyRefused() {
        return refused == count;
    }

    /** For the audit trail. */
    String detail() {
        long more = count - first.size();
        return String.join("\n", first) + (more > 0 ? "\n… and " + People.count(more) + " more" : "");
    }
}
