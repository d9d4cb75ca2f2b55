package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What PostgreSQL knew, at the takeover, of a partition's records from the lowest unfinished one on. Immutable. */
final class StoredFacts {
    static final StoredFacts NONE = new StoredFacts(List.of(), List.of());

    private final Map<Long, AttemptTable.Attempts> attempts = new HashMap<>();
    private final Map<Long, DeadLetterTable.Stored> deadLetters = new HashMap<>();

    StoredFacts(List<AttemptTable.Attempts> attempts, List<DeadLetterTable.Stored> deadLetters) {
        attempts.forEach(fact -> this.attempts.put(fact.record().coordinates().offset(), fact));
        deadLetters.forEach(fact ->
                this.deadLetters.merge(fact.letter().record().coordinates().offset(), fact, (a, b) -> b));
    }

    /** Whether anything is stored under this offset. */
    boolean mention(long offset) {
        return attempts.containsKey(offset) || deadLetters.containsKey(offset);
    }

    /** Whether something is stored under the record's offset that belongs to another record. */
    boolean contradict(RecordIdentity record) {
        return mention(record.coordinates().offset())
                && attemptsOf(record).isEmpty()
                && deadLetterOf(record).isEmpty();
    }

    Optional<AttemptTable.Attempts> attemptsOf(RecordIdentity record) {
        return Optional.ofNullable(attempts.get(record.coordinates().offset()))
                .filter(fact -> fact.record().equals(record));
    }

    Optional<DeadLetterTable.Stored> deadLetterOf(RecordIdentity record) {
        return Optional.ofNullable(deadLetters.get(record.coordinates().offset()))
                .filter(fact -> fact.letter().record().equals(record));
    }
}
