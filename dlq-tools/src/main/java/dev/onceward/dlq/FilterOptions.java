package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.output.Times;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/** The options that say which dead letters are meant: a picocli mixin. */
final class FilterOptions {
    private static final String BASE64 = "base64:";

    @Option(
            names = "--topic",
            paramLabel = "TOPIC",
            description = "Topic of the record that first failed. May be repeated: one of them.",
            order = 10)
    private List<String> topics = new ArrayList<>();

    @Option(names = "--id", paramLabel = "ID", description = "As the parameter ID. May be repeated.", order = 11)
    private List<String> ids = new ArrayList<>();

    @Option(
            names = "--key",
            paramLabel = "KEY",
            description = "The record's key, as text or as base64:… May be repeated.",
            order = 12)
    private List<String> keys = new ArrayList<>();

    @Option(
            names = "--reason",
            paramLabel = "REASON",
            description = "Why it was given up: ${COMPLETION-CANDIDATES}. May be repeated.",
            converter = Reason.class,
            order = 13)
    private List<DeadLetterReason> reasons = new ArrayList<>();

    @Option(
            names = "--exception",
            paramLabel = "TEXT",
            description = "Part of the class of the root cause, in any case.",
            order = 14)
    private @Nullable String exception;

    @Option(
            names = "--since",
            paramLabel = "TIME",
            description = "Given up then or later: 2h (ago), 2025-01-31, 2025-01-31T12:00 (UTC) or with an offset.",
            order = 15)
    private @Nullable String since;

    @Option(names = "--until", paramLabel = "TIME", description = "Given up before.", order = 16)
    private @Nullable String until;

    @Option(
            names = "--status",
            paramLabel = "STATUS",
            split = ",",
            description = "pending, dead, replayed, resolved, discarded or all. May be repeated. replay takes dead"
                    + " (default) and replayed, discard too; restore takes discarded; export all by default.",
            order = 17)
    private List<String> statuses = new ArrayList<>();

    /** Whether anything at all says which are meant. */
    boolean isEmpty() {
        return filter(null, EnumSet.allOf(DeadLetterStatus.class)).isAll();
    }

    /** Whether statuses are asked for. */
    boolean namesStatus() {
        return !statuses.isEmpty();
    }

    /** Whether some are named one by one. */
    boolean namesIds() {
        return !ids.isEmpty();
    }

    /** Also this id: a positional parameter. */
    void addId(String id) {
        ids.add(id);
    }

    /**
     * The filter.
     *
     * @param consumer only this one's
     * @param usual the statuses meant where none is named
     * @throws UsageException something does not make sense
     */
    Filter filter(@Nullable String consumer, Set<DeadLetterStatus> usual) {
        return filter(consumer, usual, Instant.now());
    }

    /** The filter as it was at an instant: {@code --since 2h} counts from there. */
    Filter filter(@Nullable String consumer, Set<DeadLetterStatus> usual, Instant now) {
        return new Filter(
                consumer,
                List.copyOf(ids),
                List.copyOf(topics),
                keys.stream().map(FilterOptions::key).toList(),
                reasons.stream().map(Enum::name).toList(),
                exception,
                time("--since", since, now),
                time("--until", until, now),
                statuses.isEmpty() ? EnumSet.copyOf(usual) : statuses());
    }

    private Set<DeadLetterStatus> statuses() {
        Set<DeadLetterStatus> chosen = EnumSet.noneOf(DeadLetterStatus.class);
        for (String status : statuses) {
            if (status.strip().equalsIgnoreCase("all")) {
                return EnumSet.allOf(DeadLetterStatus.class);
            }
            try {
                chosen.add(DeadLetterStatus.valueOf(status.strip().toUpperCase(Locale.ROOT)));
            } catch (IllegalArgumentException e) {
                throw new UsageException("--status: '" + status + "' is no status; there are: "
                        + String.join(
                                ", ",
                                Arrays.stream(DeadLetterStatus.values())
                                        .map(known -> known.name().toLowerCase(Locale.ROOT))
                                        .toList())
                        + ", all");
            }
        }
        return chosen;
    }

    /** From a name in any case; says what else a word may have been meant for. */
    static final class Reason implements CommandLine.ITypeConverter<DeadLetterReason> {
        @Override
        public DeadLetterReason convert(String text) {
            try {
                return DeadLetterReason.valueOf(text.strip().toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException("'" + text + "' is none; there are: "
                        + String.join(
                                ", ",
                                Arrays.stream(DeadLetterReason.values())
                                        .map(Enum::name)
                                        .toList())
                        + ". Your own reason for a change is given with --because");
            }
        }
    }

    private static Filter.Key key(String text) {
        if (!text.startsWith(BASE64)) {
            return new Filter.Key(text.getBytes(StandardCharsets.UTF_8));
        }
        try {
            return new Filter.Key(Base64.getDecoder().decode(text.substring(BASE64.length())));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--key: what follows base64: is no base64");
        }
    }

    private static @Nullable Instant time(String option, @Nullable String text, Instant now) {
        try {
            return text == null ? null : Times.instant(text, now);
        } catch (IllegalArgumentException e) {
            throw new UsageException(option + ": " + e.getMessage());
        }
    }
}
