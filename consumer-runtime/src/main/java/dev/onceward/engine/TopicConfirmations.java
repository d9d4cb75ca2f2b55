package dev.onceward.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Looks whether fetched records are of the topic that fetching began in, in a thread of its own. Otherwise records of a topic
 * made again would run under the old topic's id until somebody notices, and once more under their own: two effects, where
 * message ids are made of coordinates.
 *
 * <p>Only after an update of the consumer's metadata; between two of them fetching cannot move to another topic.
 */
final class TopicConfirmations {
    private static final Duration AGAIN = Duration.ofMillis(500);

    private final MetadataUpdates updates;
    private final PositionSearch search;
    private final BackgroundThread thread;
    private final Results results;
    private final Map<OwnedPartition, Integer> pending = new ConcurrentHashMap<>();

    TopicConfirmations(MetadataUpdates updates, PositionSearch search, BackgroundThread thread, Results results) {
        this.updates = updates;
        this.search = search;
        this.thread = thread;
        this.results = results;
    }

    /** What the records of the last poll are confirmed by: {@link Unconfirmed}. */
    int update() {
        return updates.count();
    }

    /** Looks soon; the answer comes as {@link Results#confirmed}, or as {@link PositionSearch.Results#madeAgain}. */
    void confirm(OwnedPartition partition, int update) {
        pending.put(partition, update);
        thread.execute(this::confirmPending);
    }

    private void confirmPending() {
        Map<OwnedPartition, Integer> asked = new HashMap<>();
        for (OwnedPartition partition : List.copyOf(pending.keySet())) {
            Integer update = pending.remove(partition);
            if (update != null) {
                asked.put(partition, update);
            }
        }
        asked.keySet().removeIf(partition -> partition.in(PartitionState.ENDED));
        if (asked.isEmpty()) {
            return;
        }
        Set<OwnedPartition> same = Set.copyOf(search.checkTopics(asked.keySet()));
        asked.forEach((partition, update) -> {
            if (same.contains(partition)) {
                results.confirmed(partition, update);
            } else {
                pending.putIfAbsent(partition, update); // no answer; or it ends soon, and nobody asks for it any more
            }
        });
        if (!pending.isEmpty()) {
            thread.later(AGAIN, this::confirmPending);
        }
    }

    /** Receives results, in the thread of the confirmations. */
    interface Results {
        void confirmed(OwnedPartition partition, int update);
    }
}
