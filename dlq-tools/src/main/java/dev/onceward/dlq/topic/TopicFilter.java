package dev.onceward.dlq.topic;

import dev.onceward.dlq.index.Filter;
import java.util.Arrays;
import java.util.Locale;

/** A {@link Filter} on the copies in a dead-letter topic: means the same as on the table, but for the status. */
final class TopicFilter {
    private final Filter filter;

    TopicFilter(Filter filter) {
        this.filter = filter;
    }

    boolean holds(TopicCopy copy) {
        return holdsForId(copy) && holdsForRecord(copy) && holdsForFailure(copy);
    }

    /** Whether it does not hold only for want of what a copy that was nearly too large does not tell. */
    boolean mightHold(TopicCopy copy) {
        return !copy.tellsWhy() && !holds(copy) && (holdsForId(copy) || filter.hasMessageIds()) && holdsForRecord(copy);
    }

    private boolean holdsForId(TopicCopy copy) {
        return filter.ids().isEmpty() || filter.names(copy.origin(), copy.messageId());
    }

    private boolean holdsForRecord(TopicCopy copy) {
        return (filter.topics().isEmpty()
                        || filter.topics().contains(copy.origin().topic()))
                && (filter.keys().isEmpty()
                        || filter.keys().stream().anyMatch(key -> Arrays.equals(key.bytes(), copy.key())))
                && (filter.since() == null || !copy.failedAt().isBefore(filter.since()))
                && (filter.until() == null || copy.failedAt().isBefore(filter.until()));
    }

    private boolean holdsForFailure(TopicCopy copy) {
        return (filter.reasons().isEmpty() || filter.reasons().contains(copy.reason()))
                && (filter.exception() == null
                        || copy.errorClass()
                                .toLowerCase(Locale.ROOT)
                                .contains(filter.exception().toLowerCase(Locale.ROOT)));
    }
}
