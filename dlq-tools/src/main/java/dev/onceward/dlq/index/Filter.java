package dev.onceward.dlq.index;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.output.Bytes;
import dev.onceward.handler.Coordinates;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Which dead letters are meant: those for which everything that is set holds. Immutable.
 *
 * @param consumer only this consumer's
 * @param ids names ({@code topic/partition/offset} or {@code topic-partition@offset}) or message ids; one of them. In the
 *     database a text that is both is a name
 * @param topics topics of the records that first failed; one of them
 * @param keys one of them
 * @param reasons one of them
 * @param exception part of the class of the root cause, in any case
 * @param since given up at this instant or later
 * @param until given up before this instant
 * @param statuses true ones; one of them
 */
public record Filter(
        @Nullable String consumer,
        List<String> ids,
        List<String> topics,
        List<Key> keys,
        List<String> reasons,
        @Nullable String exception,
        @Nullable Instant since,
        @Nullable Instant until,
        Set<DeadLetterStatus> statuses) {

    /** Every dead letter of these statuses. */
    public static Filter all(@Nullable String consumer, Collection<DeadLetterStatus> statuses) {
        return new Filter(
                consumer, List.of(), List.of(), List.of(), List.of(), null, null, null, EnumSet.copyOf(statuses));
    }

    /**
     * Every dead letter that is named.
     *
     * @param ids as in the filter
     */
    public static Filter named(@Nullable String consumer, List<String> ids) {
        return new Filter(
                consumer,
                List.copyOf(ids),
                List.of(),
                List.of(),
                List.of(),
                null,
                null,
                null,
                EnumSet.allOf(DeadLetterStatus.class));
    }

    /** The same of other statuses. */
    public Filter of(Collection<DeadLetterStatus> others) {
        return new Filter(consumer, ids, topics, keys, reasons, exception, since, until, EnumSet.copyOf(others));
    }

    /** The same of another consumer. */
    public Filter ofConsumer(String other) {
        return new Filter(other, ids, topics, keys, reasons, exception, since, until, statuses);
    }

    /** Whether one of its ids means this message. */
    public boolean names(Coordinates origin, @Nullable String messageId) {
        return ids.stream().anyMatch(id -> id.equals(messageId) || isAt(id, origin));
    }

    /** Whether this id is the name of a letter with this origin. */
    public static boolean isAt(String id, Coordinates origin) {
        return Conditions.coordinates(id).filter(origin::equals).isPresent();
    }

    /** Whether one of its ids can only be a message id. */
    public boolean hasMessageIds() {
        return ids.stream().anyMatch(id -> Conditions.coordinates(id).isEmpty());
    }

    /** Whether it holds for every dead letter of its consumer and statuses. */
    public boolean isAll() {
        return ids.isEmpty()
                && topics.isEmpty()
                && keys.isEmpty()
                && reasons.isEmpty()
                && exception == null
                && since == null
                && until == null;
    }

    /** For the audit trail: what is set, as options. */
    @Override
    public String toString() {
        List<String> parts = new ArrayList<>();
        ids.forEach(id -> parts.add("--id " + id));
        topics.forEach(topic -> parts.add("--topic " + topic));
        keys.forEach(key -> parts.add("--key " + Bytes.toText(key.bytes())));
        reasons.forEach(reason -> parts.add("--reason " + reason));
        if (exception != null) {
            parts.add("--exception " + exception);
        }
        if (since != null) {
            parts.add("--since " + since);
        }
        if (until != null) {
            parts.add("--until " + until);
        }
        if (isAll()) {
            parts.add("--all");
        }
        parts.add(
                "--status " + String.join(",", statuses.stream().map(Enum::name).toList()));
        return String.join(" ", parts);
    }

    /** A record's key. */
    @SuppressWarnings("ArrayRecordComponent") // keys are not compared here
    public record Key(byte[] bytes) {}
}
