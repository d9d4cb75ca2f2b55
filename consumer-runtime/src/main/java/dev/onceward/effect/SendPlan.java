package dev.onceward.effect;

import java.util.ArrayList;
import java.util.List;

/**
 * Splits declared updates into as few round trips as the driver can do, without changing their order.
 *
 * <p>Long runs of one SQL text become batches. A pattern that repeats, as when each message of a group declares the same
 * few updates, goes as one text of many statements, in sizes of powers of two: so few different texts occur, whatever the
 * size of the group, that the driver and the server can keep them prepared. The rest goes as it is, unprepared.
 */
final class SendPlan {

    /** The driver assumes an answer of 250 bytes for each statement and reads what came after 64,000 bytes. */
    static final int MOST_STATEMENTS = 255;

    /** The driver allows 65,535 in one text. */
    static final int MOST_PLACEHOLDERS = 60_000;

    /** The driver keeps at most 5 MiB of texts prepared, for everything on the connection. */
    static final int MOST_CHARACTERS = 128 << 10;

    /** A shorter run of one text, with others around it, does not deserve a round trip of its own. */
    static final int LONG_RUN = 16;

    /** A shorter repetition, with others around it, does not deserve a round trip of its own. */
    static final int LONG_REPETITION = 32;

    /** Longest pattern looked for. */
    static final int LONGEST_PATTERN = 16;

    /** So few statements may be kept prepared in any combination. */
    static final int FEW_STATEMENTS = 8;

    /** So few repetitions go together, rather than in powers of two. */
    static final int FEW_REPETITIONS = 4;

    private final List<DeclaredUpdate> updates;
    private final boolean insertsRewritten;
    private final List<Chunk> chunks = new ArrayList<>();

    private SendPlan(List<DeclaredUpdate> updates, boolean insertsRewritten) {
        this.updates = updates;
        this.insertsRewritten = insertsRewritten;
    }

    /**
     * @param updates what to send
     * @param insertsRewritten whether the driver turns a batch of inserts into one insert of many rows: it then cannot say
     *     how many rows each touched, and two messages that upsert the same row fail together
     */
    static List<Chunk> of(List<DeclaredUpdate> updates, boolean insertsRewritten) {
        SendPlan plan = new SendPlan(updates, insertsRewritten);
        plan.split();
        return plan.chunks;
    }

    private void split() {
        int irregularFrom = 0;
        int i = 0;
        while (i < updates.size()) {
            Repetition found = longestRepetition(i);
            boolean everything = found.length() == updates.size();
            if (found.period() == 1 && canBatch(updates.get(i)) && (everything || found.length() >= LONG_RUN)) {
                irregular(irregularFrom, i);
                batches(i, i + found.length());
                irregularFrom = i + found.length();
                i = irregularFrom;
            } else if (everything || found.length() >= LONG_REPETITION) {
                irregular(irregularFrom, i);
                recurring(i, found);
                irregularFrom = i + found.length();
                i = irregularFrom;
            } else {
                i++;
            }
        }
        irregular(irregularFrom, updates.size());
    }

    /** A pattern of texts and how often it follows on itself. */
    private record Repetition(int period, int times) {
        int length() {
            return period * times;
        }
    }

    private Repetition longestRepetition(int from) {
        Repetition longest = new Repetition(1, 1);
        int rest = updates.size() - from;
        for (int period = 1; period <= Math.min(LONGEST_PATTERN, rest) && longest.length() < rest; period++) {
            int same = from;
            while (same + period < updates.size() && sql(same).equals(sql(same + period))) {
                same++;
            }
            Repetition found = new Repetition(period, (same - from) / period + 1);
            if (found.times() > 1 && found.length() > longest.length()) {
                longest = found;
            }
        }
        return longest;
    }

    private void batches(int from, int to) {
        for (int i = from; i < to; i += SameSqlBatch.MOST) {
            chunks.add(new SameSqlBatch(updates.subList(i, Math.min(to, i + SameSqlBatch.MOST))));
        }
    }

    /** In at most two sizes that are powers of two, after as many full ones as there are, and a rest. */
    private void recurring(int from, Repetition repetition) {
        int most = mostRepetitions(from, repetition.period());
        int i = from;
        int powers = 0;
        for (int left = repetition.times(); left > 0; ) {
            boolean few = left <= Math.min(FEW_REPETITIONS, most);
            if (!few && powers == 2) {
                irregular(i, i + left * repetition.period());
                return;
            }
            int times = few ? left : Integer.highestOneBit(Math.min(left, most));
            powers += times < most ? 1 : 0;
            chunks.add(new MixedSequence(updates.subList(i, i + times * repetition.period()), true));
            i += times * repetition.period();
            left -= times;
        }
    }

    private int mostRepetitions(int from, int period) {
        int placeholders = 0;
        int characters = 0;
        for (DeclaredUpdate update : updates.subList(from, from + period)) {
            placeholders += update.arguments().size();
            characters += update.sql().length();
        }
        int most = Math.min(
                MOST_STATEMENTS / period,
                Math.min(MOST_PLACEHOLDERS / Math.max(1, placeholders), MOST_CHARACTERS / Math.max(1, characters)));
        return Math.max(1, Integer.highestOneBit(most));
    }

    private void irregular(int from, int to) {
        int start = from;
        int placeholders = 0;
        int characters = 0;
        for (int i = from; i < to; i++) {
            int morePlaceholders = updates.get(i).arguments().size();
            int moreCharacters = updates.get(i).sql().length();
            boolean full = i - start == MOST_STATEMENTS
                    || placeholders + morePlaceholders > MOST_PLACEHOLDERS
                    || characters + moreCharacters > MOST_CHARACTERS;
            if (full && i > start) {
                sequence(start, i);
                start = i;
                placeholders = 0;
                characters = 0;
            }
            placeholders += morePlaceholders;
            characters += moreCharacters;
        }
        if (start < to) {
            sequence(start, to);
        }
    }

    private void sequence(int from, int to) {
        chunks.add(new MixedSequence(updates.subList(from, to), to - from <= FEW_STATEMENTS));
    }

    private boolean canBatch(DeclaredUpdate update) {
        return switch (update.text().firstWord()) {
            case "insert" -> !insertsRewritten && !update.text().returning();
            case "update", "delete", "merge" -> !update.text().returning();
            default -> false;
        };
    }

    private String sql(int index) {
        return updates.get(index).sql();
    }
}
