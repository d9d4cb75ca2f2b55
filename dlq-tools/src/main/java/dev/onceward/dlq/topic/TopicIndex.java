package dev.onceward.dlq.topic;

import dev.onceward.dlq.index.Filter;
import dev.onceward.handler.Coordinates;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/** What a sweep over the dead-letter topics finds: of each message the newest copy. */
final class TopicIndex {
    private final DeadLetterNames names;
    private final TopicFilter filter;
    private final Map<Located.Message, Located> newest = new HashMap<>();
    private final Map<String, Long> foreign = new TreeMap<>();
    /** The same few names again and again: kept once, and whose they are found out once. */
    private final Map<String, String> texts = new HashMap<>();

    private final Map<String, Optional<String>> owners = new HashMap<>();
    private List<Located> sorted = List.of();
    private @Nullable Comparator<Located> order;

    TopicIndex(DeadLetterNames names, Filter filter) {
        this.names = names;
        this.filter = new TopicFilter(filter);
    }

    void add(ConsumerRecord<byte[], byte[]> record) {
        Optional<TopicCopy> copy = TopicCopy.of(record);
        String owner = copy.flatMap(
                        known -> owner(record.topic(), known.origin().topic()))
                .orElse(null);
        if (copy.isPresent() && owner != null) {
            add(copy.get(), owner);
        } else if (copy.isEmpty()
                || names.anyOwner(record.topic(), copy.get().origin().topic()).isEmpty()) {
            foreign.merge(record.topic(), 1L, Long::sum);
        }
    }

    /** How many records of each topic are nobody's dead letters. */
    Map<String, Long> foreign() {
        return foreign;
    }

    /** All records are added. */
    TopicIndex complete() {
        mergeUndated();
        return this;
    }

    /** How many do not tell whether the filter holds for them. */
    long unclear() {
        return newest.values().stream()
                .filter(located -> located.meant() == Located.Meant.NOT_KNOWN)
                .count();
    }

    long wanted() {
        return newest.values().stream()
                .filter(located -> located.meant() == Located.Meant.YES)
                .count();
    }

    /** Those for which the filter holds, in this order. */
    List<Located> wanted(Comparator<Located> by) {
        if (!by.equals(order)) { // page after page asks for the same
            sorted = newest.values().stream()
                    .filter(located -> located.meant() == Located.Meant.YES)
                    .sorted(by)
                    .toList();
            order = by;
        }
        return sorted;
    }

    private void add(TopicCopy copy, String owner) {
        Coordinates origin = copy.origin();
        Coordinates place = copy.place();
        Located located = new Located(
                new Located.Message(
                        owner, once(origin.topic()), origin.partition(), origin.offset(), copy.originTimestamp()),
                Located.micros(copy.failedAt()),
                once(place.topic()),
                place.partition(),
                place.offset(),
                meant(copy));
        newest.merge(located.message(), located, Located::newer);
    }

    private Located.Meant meant(TopicCopy copy) {
        if (filter.holds(copy)) {
            return Located.Meant.YES;
        }
        return filter.mightHold(copy) ? Located.Meant.NOT_KNOWN : Located.Meant.NO;
    }

    /** A copy that was nearly too large for its diagnostics may be another copy of a message whose others have them. */
    private void mergeUndated() {
        List<Located> undated =
                newest.values().stream().filter(located -> !isDated(located)).toList();
        if (undated.isEmpty()) {
            return;
        }
        Map<Located.Message, Located> dated = new HashMap<>();
        newest.values().stream()
                .filter(TopicIndex::isDated)
                .forEach(located -> dated.merge(
                        located.message().withTimestamp(ConsumerRecord.NO_TIMESTAMP), located, Located::newer));
        for (Located located : undated) {
            Located same = dated.get(located.message());
            if (same != null) {
                newest.remove(same.newer(located).equals(same) ? located.message() : same.message());
            }
        }
    }

    private static boolean isDated(Located located) {
        return located.message().timestamp() != ConsumerRecord.NO_TIMESTAMP;
    }

    private Optional<String> owner(String deadLetterTopic, String originTopic) {
        return owners.computeIfAbsent(
                deadLetterTopic + "/" + originTopic,
                key -> names.owner(deadLetterTopic, originTopic).map(this::once));
    }

    private String once(String text) {
        String before = texts.putIfAbsent(text, text);
        return before == null ? text : before;
    }
}
