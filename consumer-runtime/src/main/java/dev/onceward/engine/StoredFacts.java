package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What PostgreSQL knew, at the takeover, of a partition's records from the lowest unfinished one on. Immutable. */
final class StoredFacts {
    static final StoredFacts NONE = new StoredFacts(List.of(), List.of(), new GivenUp(), 0);

    private final long loadedNanos;
    private final Set<Long> offsets = new HashSet<>();
    private final Map<RecordIdentity, AttemptTable.Attempts> attempts = new HashMap<>();
    // Under one offset there may be several: one of this topic, and one of each topic of this name before it.
    private final Map<RecordIdentity, DeadLetter> unpublished = new HashMap<>();
    private final GivenUp givenUp;

    StoredFacts(List<AttemptTable.Attempts> attempts, List<DeadLetter> unpublished, GivenUp givenUp, long loadedNanos) {
        this.loadedNanos = loadedNanos;
        this.givenUp = givenUp;
        attempts.forEach(fact -> this.attempts.put(mentioned(fact.record()), fact));
        unpublished.forEach(letter -> this.unpublished.put(mentioned(letter.record()), letter));
    }

    private RecordIdentity mentioned(RecordIdentity record) {
        offsets.add(record.coordinates().offset());
        return record;
    }

    /** Whether anything is stored under this offset. */
    boolean mention(long offset) {
        return offsets.contains(offset) || givenUp.mention(offset);
    }

    /** Whether something is stored under the record's offset that belongs to another record. */
    boolean contradict(RecordIdentity record) {
        return mention(record.coordinates().offset())
                && attemptsOf(record).isEmpty()
                && unpublished(record).isEmpty()
                && !givenUp(record);
    }

    Optional<AttemptTable.Attempts> attemptsOf(RecordIdentity record) {
        return Optional.ofNullable(attempts.get(record));
    }

    /** When the next attempt may begin: the delay counts from when it was read, not from when its record is fetched. */
    long dueNanos(AttemptTable.Attempts fact) {
        return loadedNanos + fact.delay().toNanos();
    }

    /** What was decided about the record and is still to be published. */
    Optional<DeadLetter> unpublished(RecordIdentity record) {
        return Optional.ofNullable(unpublished.get(record));
    }

    /** Whether the record was given up for good, with a copy in the dead-letter topic. */
    boolean givenUp(RecordIdentity record) {
        return givenUp.contain(record);
    }
}
