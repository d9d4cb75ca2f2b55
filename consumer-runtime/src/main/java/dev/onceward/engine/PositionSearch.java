package dev.onceward.engine;

import dev.onceward.catalog.EventNames;
import dev.onceward.failure.Backoff;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks positions up until they are found, in a thread of its own: neither the poll thread nor a takeover waits for it. */
final class PositionSearch {
    private static final Logger LOG = LoggerFactory.getLogger(PositionSearch.class);

    private final Positions positions;
    private final Backoff backoff;
    private final BackgroundThread thread;
    private final Results results;

    PositionSearch(Positions positions, Backoff backoff, BackgroundThread thread, Results results) {
        this.positions = positions;
        this.backoff = backoff;
        this.thread = thread;
        this.results = results;
    }

    /** Finds out where to begin; the answer comes as {@link Results#positioned}. */
    void find(List<OwnedPartition> partitions, Duration delay) {
        find(partitions, delay, 0);
    }

    private void find(List<OwnedPartition> partitions, Duration delay, int failures) {
        if (!partitions.isEmpty()) {
            thread.later(delay, () -> findNow(partitions, failures));
        }
    }

    private void findNow(List<OwnedPartition> partitions, int failures) {
        List<OwnedPartition> current = partitions.stream()
                .filter(p -> p.in(PartitionState.POSITIONING))
                .toList();
        try {
            Map<OwnedPartition, Position> found = positions.find(current);
            found.forEach(results::positioned);
            List<OwnedPartition> missing =
                    current.stream().filter(p -> !found.containsKey(p)).toList();
            find(missing, backoff.next(failures + 1), failures + 1); // their topic is not there (yet)
        } catch (SQLException | ExecutionException | TimeoutException | RuntimeException e) {
            LOG.atWarn()
                    .addKeyValue(EventNames.KEY, EventNames.POSITION_UNKNOWN)
                    .addKeyValue("partitions", current.size())
                    .addKeyValue("error", e.toString())
                    .log("Positions could not be found; tried again");
            find(current, backoff.next(failures + 1), failures + 1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Looks whether topics were made again under their names; that comes as {@link Results#madeAgain}. Nobody else would
     * notice: where the new topic is longer than the old one was, fetching just goes on in the middle of it.
     *
     * @return those that were not
     */
    List<OwnedPartition> checkTopics(Collection<OwnedPartition> partitions) {
        List<OwnedPartition> same = new ArrayList<>();
        try {
            positions.same(partitions).forEach((partition, isSame) -> {
                if (isSame) {
                    same.add(partition);
                } else {
                    LOG.atWarn()
                            .addKeyValue(EventNames.KEY, EventNames.TOPIC_MADE_AGAIN)
                            .addKeyValue("partition", partition.topicPartition())
                            .log("The topic was deleted and made again: its partition begins anew");
                    results.madeAgain(partition);
                }
            });
        } catch (ExecutionException | TimeoutException e) {
            LOG.debug("topics could not be looked at", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return same;
    }

    /** Receives results, in any thread. */
    interface Results {
        void positioned(OwnedPartition partition, Position position);

        void madeAgain(OwnedPartition partition);
    }
}
