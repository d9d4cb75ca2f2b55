package dev.onceward.dlq.replay;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.index.DeadLetterIndex;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.LetterReader;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a replay would do, without doing it: asks the same questions, in the same order, and reads no payload. */
public final class DryRun {
    private static final int PAGE = 1_000;

    private final DeadLetterIndex index;
    private final LetterReader reader;
    private final Eligibility eligibility;
    private final HeldKeys held = new HeldKeys();
    private final Map<Kind, Long> kinds = new TreeMap<>();
    private long sendable;

    private DryRun(Connections connections, LetterReader reader, Eligibility eligibility) {
        this.index = new DeadLetterIndex(connections);
        this.reader = reader;
        this.eligibility = eligibility;
    }

    /** How many of each kind would be sent, or not. */
    public static List<Line> of(Connections connections, ReplayTarget target, ReplayPlan plan, Instant asOf)
            throws SQLException {
        try (LetterReader reader = new LetterReader(connections)) {
            DryRun run = new DryRun(connections, reader, new Eligibility(target, plan.assertedBy() != null));
            Letter last = null;
            List<Letter> page = run.index.page(plan.filter(), asOf, last, PAGE);
            while (!page.isEmpty() && run.sendable < plan.limit()) {
                for (Letter letter : page) {
                    if (run.sendable < plan.limit()) {
                        run.count(letter);
                    }
                    last = letter;
                }
                page = run.index.page(plan.filter(), asOf, last, PAGE);
            }
            List<Line> lines = new ArrayList<>();
            run.kinds.forEach((kind, count) -> lines.add(
                    new Line(kind.topic(), kind.reason(), count, kind.why().isEmpty() ? null : kind.why())));
            return lines;
        }
    }

    private void count(Letter letter) {
        String why = held.holder(letter) != null
                ? "held back by an earlier one of the same key"
                : eligibility.refusal(letter);
        if (why == null && reader.isGone(letter)) {
            why = "its payload is not in the dead-letter topic any more";
        }
        if (why == null) {
            sendable++;
        } else {
            held.hold(letter);
        }
        kinds.merge(
                new Kind(letter.origin().coordinates().topic(), letter.failure().reason(), why == null ? "" : why),
                1L,
                Long::sum);
    }

    /**
     * Dead letters with the same fate.
     *
     * @param topic where they come from
     * @param reason why they were given up
     * @param count how many
     * @param why they would not be sent; {@code null}: they would
     */
    public record Line(
            String topic,
            String reason,
            long count,
            @Nullable String why) {}

    private record Kind(String topic, String reason, String why) implements Comparable<Kind> {
        @Override
        public int compareTo(Kind other) {
            return java.util.Comparator.comparing(Kind::topic)
                    .thenComparing(Kind::reason)
                    .thenComparing(Kind::why)
                    .compare(this, other);
        }
    }
}
