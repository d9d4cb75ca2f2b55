package dev.onceward.dlq.replay;

import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.output.Progress;
import dev.onceward.message.RecordIdentity;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What a replay could not send, and why. The first are told one by one, all are counted. */
final class Failures {
    private static final int TOLD = 20;

    private final Progress progress;
    private final Set<RecordIdentity> letters = new HashSet<>();
    private final List<String> first = new ArrayList<>();
    private long refused;

    Failures(Progress progress) {
        this.progress = progress;
    }

    void add(Letter letter, String why) {
        if (!letters.add(letter.record())) {
            return;
        }
        if (first.size() < TOLD) {
            String line = letter.name() + " not sent: " + why;
            first.add(line);
            progress.say("dlq: " + line);
        } else if (letters.size() == TOLD + 1) {
            progress.say("dlq: … and more that are only counted from here on");
        }
    }

    /** One that could be sent and must not be. */
    void refuse(Letter letter, String why) {
        if (!contains(letter)) {
            refused++;
        }
        add(letter, why);
    }

    boolean contains(Letter letter) {
        return letters.contains(letter.record());
    }

    long count() {
        return letters.size();
    }

    /** Whether every one of them was refused. */
    boolean onlyRefused() {
        return refused == letters.size();
    }

    /** For the audit trail. */
    String detail() {
        int more = letters.size() - first.size();
        return String.join("\n", first) + (more > 0 ? "\n… and " + People.count(more) + " more" : "");
    }
}
