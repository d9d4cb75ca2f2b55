package dev.onceward.deadletter;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Judges the settings of topics that exist. Pure. */
final class TopicChecks {
    private static final String CLAIMS = "onceward.retention.claims";

    private TopicChecks() {}

    /**
     * Topics whose records can be read or replayed after the claim that would recognise them is gone.
     *
     * @param settings of the topics of the plan, where known
     */
    static List<String> retention(TopicPlan plan, Map<String, TopicSettings> settings, Duration claims) {
        List<String> findings = new ArrayList<>();
        for (String topic : plan.all()) {
            TopicSettings known = settings.get(topic);
            if (known == null) {
                continue;
            }
            Optional<Duration> kept = known.retention();
            if (kept.isEmpty() || kept.get().compareTo(claims) >= 0) {
                String howLong = kept.map(limit -> "for " + text(limit)).orElse("without limit");
                findings.add(CLAIMS + ": claims are kept for " + text(claims) + ", but " + plan.role(topic)
                        + " keeps records " + howLong + ": one that is read or replayed after its claim is gone cannot"
                        + " be recognised as processed; raise " + CLAIMS
                        + (kept.isEmpty() ? "" : " above " + text(kept.get()))
                        + ", or set retention.ms of the topic below it");
            }
        }
        return findings;
    }

    /** Dead-letter and replay topics that would refuse some records. */
    static List<String> suitability(TopicPlan plan, Map<String, TopicSettings> settings) {
        List<String> findings = new ArrayList<>();
        for (String topic : plan.all()) {
            TopicSettings known = settings.get(topic);
            if (known != null && known.compacted() && !plan.sources().contains(topic)) {
                findings.add(
                        plan.role(topic) + " is compacted: it refuses records without a key and drops older ones of"
                                + " the same key; set its cleanup.policy=delete");
            }
        }
        for (String topic : plan.deadLetters().keySet()) {
            for (String source : plan.sourcesOf(topic)) {
                size(plan, settings, topic, source).ifPresent(findings::add);
            }
        }
        return findings;
    }

    private static Optional<String> size(
            TopicPlan plan, Map<String, TopicSettings> settings, String deadLetters, String source) {
        Optional<Integer> limit = maxMessageBytes(settings.get(deadLetters));
        Optional<Integer> needed = maxMessageBytes(settings.get(source));
        if (limit.isEmpty() || needed.isEmpty() || limit.get() >= needed.get()) {
            return Optional.empty();
        }
        return Optional.of(plan.role(deadLetters) + " takes records up to " + limit.get() + " bytes, but "
                + plan.role(source) + " up to " + needed.get()
                + ": a larger one that fails would hold its key for ever; set its max.message.bytes to "
                + NewTopics.withRoom(needed.get()) + " or more");
    }

    private static Optional<Integer> maxMessageBytes(@Nullable TopicSettings settings) {
        return settings == null ? Optional.empty() : settings.maxMessageBytes();
    }

    /** {@code 14d}, {@code 36h}, else as ISO 8601 has it. */
    static String text(Duration duration) {
        if (!duration.isZero() && duration.equals(Duration.ofDays(duration.toDays()))) {
            return duration.toDays() + "d";
        }
        if (!duration.isZero() && duration.equals(Duration.ofHours(duration.toHours()))) {
            return duration.toHours() + "h";
        }
        return duration.toString();
    }
}
