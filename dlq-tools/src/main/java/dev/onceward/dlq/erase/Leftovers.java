package dev.onceward.dlq.erase;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.People;
import dev.onceward.dlq.topic.TopicFacts;
import dev.onceward.handler.Coordinates;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What still exists of an erased message, and what removes it: no command can take a record out of a Kafka topic. */
public final class Leftovers {
    private final String replayTopic;
    private final Map<String, TopicFacts> facts;

    /** By what Kafka tells of the topics. */
    public Leftovers(String replayTopic, Map<String, TopicFacts> facts) {
        this.replayTopic = replayTopic;
        this.facts = facts;
    }

    /**
     * One line for each place.
     *
     * @param others letters under the same message id that still have their data
     */
    public List<String> of(ErasedLetter erased, List<String> others) {
        Letter letter = erased.letter();
        List<String> lines = new ArrayList<>();
        for (ErasableRow row : erased.rows()) {
            if (row.copy() != null) {
                lines.add("its copy " + row.copy() + ": " + copy(row.copy(), row.deadAt()));
            }
        }
        lines.add("its source record " + letter.origin().coordinates() + ": "
                + retention(
                        letter.origin().coordinates().topic(),
                        Instant.ofEpochMilli(letter.origin().timestamp())));
        if (letter.history().replays() > 0) {
            lines.add(People.count(letter.history().replays(), "replay") + " of it in " + replayTopic + ": "
                    + retention(replayTopic, letter.history().replayedAt()));
        }
        if (erased.rows().stream().anyMatch(row -> row.status() == DeadLetterStatus.REPLAYED)) {
            lines.add("a replay that may be under way: if it fails, there is a new dead letter; run this command again"
                    + " then");
        }
        if (letter.messageId() != null) {
            lines.add("its message id, in dead_letters for good, and in processed_messages, if it took effect, for"
                    + " onceward.retention.claims");
        }
        if (!others.isEmpty()) {
            lines.add("other dead letters under its message id, with key and error texts: " + String.join(" ", others)
                    + "; erase them, too, if they are of the same person");
        }
        return lines;
    }

    private String copy(Coordinates copy, @Nullable Instant deadAt) {
        TopicFacts topic = facts.get(copy.topic());
        if (topic == null || !topic.compacted()) {
            return retention(copy.topic(), deadAt);
        }
        return "compaction removes it, a tombstone follows"
                + (topic.retention().isEmpty() ? "" : "; " + retention(copy.topic(), deadAt));
    }

    private String retention(String name, @Nullable Instant since) {
        TopicFacts topic = facts.get(name);
        if (topic == null) {
            return "gone with its topic";
        }
        if (topic.settings().isEmpty()) {
            return "until the topic's retention removes it, which we may not see";
        }
        Optional<Duration> retention = topic.retention();
        if (retention.isEmpty()) {
            return "the topic has no retention by time: it stays"
                    + (topic.compacted()
                            ? " until a later record of its key lets compaction remove it"
                            : " until you delete it with kafka-delete-records.sh, or the topic");
        }
        return "the topic's retention is " + People.duration(retention.get())
                + (since == null ? "" : ", which removes it after " + until(since, retention.get()));
    }

    /** Retention may be set to the largest number there is. */
    private static String until(Instant since, Duration retention) {
        try {
            return People.instant(since.plus(retention));
        } catch (ArithmeticException | java.time.DateTimeException e) {
            return "the end of time";
        }
    }
}
