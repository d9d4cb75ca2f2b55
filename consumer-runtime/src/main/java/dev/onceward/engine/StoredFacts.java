package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetterTable;
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
    static final StoredFacts NONE = new StoredFacts(List.of(), List.of(), 0);

    private final long loadedNanos;
    private final Set<Long> offsets = new HashSet<>();
    private final Map<RecordIdentity, AttemptTable.Attempts> attempts = new HashMap<>();
    // Under one offset there may be several: one of this topic, and one of each topic of this name before it.
    private final Map<RecordIdentity, DeadLetterTable.Stored> deadLetters = new HashMap<>();

    StoredFacts(List<AttemptTable.Attempts> attempts, List<DeadLetterTable.Stored> deadLetters, long loadedNanos) {
        this.loadedNanos = loadedNanos;
        attempts.forEach(fact -> this.attempts.put(mentioned(fact.record()), fact));
        deadLetters.forEach(fact -> this.deadLetters.put(mentioned(fact.letter().record()), fact));
    }

    private RecordIdentity mentioned(RecordIdentity record) {
        offsets.add(record.coordinates().offset());
        return record;
    }

    /** Whether anything is stored under this offset. */
    boolean mention(long offset) {
        return offsets.contains(offset);
    }

    /** Whether something is stored under the record's offset that belongs to another record. */
    boolean contradict(RecordIdentity record) {
        return mention(record.coordinates().offset())
                && attemptsOf(record).isEmpty()
                && deadLetterOf(record).isEmpty();
    }

    Optional<AttemptTable.Attempts> attemptsOf(RecordIdentity record) {
        return Optional.ofNullable(attempts.get(record));
    }

    /** When the next attempt may begin: the delay counts from when it was read, not from when its record is fetched. */
    long dueNanos(AttemptTable.Attempts fact) {
        return loadedNanos + fact.delay().toNanos();
    }

    Optional<DeadLetterTable.Stored> deadLetterOf(RecordIdentity record) {
        return Optional.ofNullable(deadLetters.get(record));
    }
}
