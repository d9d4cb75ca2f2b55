package dev.onceward.dlq;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * What a command does not act on of the dead letters that were named one by one. Whoever names one expects something to
 * be done about it: a mistyped id, or one that has another status, must not end in silence.
 */
final class NamedIds {
    private static final Set<DeadLetterStatus> ALL = EnumSet.allOf(DeadLetterStatus.class);

    private final List<String> passedOver;

    private NamedIds(List<String> passedOver) {
        this.passedOver = passedOver;
    }

    /**
     * Looks at each; reads nothing if none is named.
     *
     * @param filter what the command acts on
     * @param possible the statuses that the command can be told to act on
     */
    static NamedIds of(LetterSource source, Filter filter, Set<DeadLetterStatus> possible) throws SQLException {
        if (filter.ids().isEmpty()) {
            return new NamedIds(List.of());
        }
        // All at once: of the dead-letter topic, each look is a pass over all of it.
        Filter named = Filter.named(filter.consumer(), filter.ids());
        List<Letter> known = new ArrayList<>();
        source.list(named, Long.MAX_VALUE, known::add);
        boolean narrowed = !filter.of(ALL).equals(named);
        Set<List<Object>> chosen = new HashSet<>();
        if (narrowed) {
            source.list(filter.of(ALL), Long.MAX_VALUE, letter -> chosen.add(key(letter)));
        } else {
            known.forEach(letter -> chosen.add(key(letter)));
        }
        List<String> passedOver = new ArrayList<>();
        for (String id : new LinkedHashSet<>(filter.ids())) {
            List<Letter> meant = known.stream()
                    .filter(letter -> id.equals(letter.messageId())
                            || Filter.isAt(id, letter.origin().coordinates()))
                    .toList();
            if (meant.isEmpty()) {
                passedOver.add("there is no dead letter " + id
                        + (filter.consumer() == null ? "" : " of consumer " + filter.consumer()));
            } else if (meant.stream().noneMatch(letter -> chosen.contains(key(letter)))) {
                passedOver.add(id + " is not meant by the other filters");
            } else if (source.knowsStatus()
                    && meant.stream().noneMatch(letter -> filter.statuses().contains(letter.status()))) {
                passedOver.add(why(id, meant.get(0), possible));
            }
        }
        return new NamedIds(List.copyOf(passedOver));
    }

    /** Tells each that is passed over, with why. */
    NamedIds tell(Console console) {
        passedOver.forEach(line -> console.say("dlq: " + line));
        return this;
    }

    /** The exit code of a command that did the rest. */
    int exitCode(int rest) {
        return rest == ExitCodes.DONE && !passedOver.isEmpty() ? ExitCodes.SOME_FAILED : rest;
    }

    /** The topic may have been made again: then there are two at the same coordinates. */
    private static List<Object> key(Letter letter) {
        return List.of(letter.origin().coordinates(), letter.origin().timestamp());
    }

    private static String why(String id, Letter letter, Set<DeadLetterStatus> possible) {
        if (letter.history().erasedAt() != null) {
            return id + ": its data were erased, it is over";
        }
        DeadLetterStatus status = letter.status();
        String is = id + " is " + status + ": ";
        if (possible.contains(status)) {
            return is + "give --status " + status.name().toLowerCase(Locale.ROOT);
        }
        return is
                + switch (status) {
                    case RESOLVED -> "its message took effect";
                    case DISCARDED -> "take that back with dlq restore";
                    case PENDING -> "a worker is about to publish it, try again in a moment";
                    case DEAD, REPLAYED -> "it is not discarded";
                };
    }
}
