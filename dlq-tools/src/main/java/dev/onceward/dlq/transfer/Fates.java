package dev.onceward.dlq.transfer;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.Payload;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Decides what becomes of the letters of a file, and changes nothing. */
final class Fates {
    private final Copies copies;
    private final ConsumerFacts facts;

    Fates(Copies copies, ConsumerFacts facts) {
        this.copies = copies;
        this.facts = facts;
    }

    /**
     * Of one letter.
     *
     * @param known rows with the coordinates of its record, or of its origin
     * @param evidence what the tables tell of its message
     */
    Fate of(Item item, List<Letter> known, ImportRows.Evidence evidence) throws SQLException {
        Letter letter = item.letter();
        List<Letter> sameMessage =
                known.stream().filter(row -> isSameMessage(row, letter)).toList();
        boolean erased = letter.history().erasedAt() != null;
        if (sameMessage.stream().anyMatch(row -> row.history().erasedAt() != null)) {
            return erased ? Fate.of(ImportKind.THERE) : Fate.refused("its data were erased, and stay so");
        }
        Optional<Letter> row = known.stream()
                .filter(candidate -> isSameRecord(candidate, letter))
                .max(Comparator.comparing(candidate -> candidate.failure().failedAt()));
        if (row.isEmpty() && known.stream().anyMatch(candidate -> isSameKey(candidate, letter))) {
            return Fate.refused(
                    "the dead letter that is known at " + letter.record().coordinates() + " is of another record");
        }
        if (evidence.tookEffect()
                || (row.isEmpty() && letter.status() == DeadLetterStatus.RESOLVED)
                || sameMessage.stream().anyMatch(other -> other.status() == DeadLetterStatus.RESOLVED)) {
            return Fate.of(ImportKind.TOOK_EFFECT);
        }
        return row.isPresent() ? known(item, row.get()) : unknown(item, sameMessage, evidence);
    }

    private Fate known(Item item, Letter row) throws SQLException {
        if (row.stored() == DeadLetterStatus.PENDING) {
            return Fate.of(ImportKind.PENDING);
        }
        Coordinates copy = row.copy();
        if (copy == null) {
            // Nothing can be made of it: its row says for good that it cannot be replayed.
            return Fate.impossible("its payload was lost before it was published");
        }
        // Read, and not only looked whether there is something at that offset: where the topic was made again, what
        // this
        // import itself has put back is at the offsets where others were.
        if (copies.read(row) instanceof Payload.Found) {
            return Fate.of(ImportKind.THERE);
        }
        if (item.entry().content() == null) {
            return Fate.impossible(withoutPayload(item));
        }
        String refusal = facts.refusal(item.letter(), copy.topic());
        return refusal == null ? new Fate(ImportKind.RESTORED, null, row) : Fate.refused(refusal);
    }

    private Fate unknown(Item item, List<Letter> sameMessage, ImportRows.Evidence evidence) throws SQLException {
        Letter letter = item.letter();
        if (sameMessage.stream()
                .anyMatch(other ->
                        !other.failure().failedAt().isBefore(letter.failure().failedAt()))) {
            // As the newest row of its origin it would be taken for the latest failure.
            return Fate.of(ImportKind.FAILED_LATER);
        }
        Coordinates copy = letter.copy();
        if (item.entry().content() == null || copy == null) {
            return Fate.impossible(withoutPayload(item));
        }
        String refusal = facts.refusal(letter, copy.topic());
        if (refusal != null) {
            return Fate.refused(refusal);
        }
        return Fate.of(evidence.becomesTooOld() ? ImportKind.ADDED_TOO_OLD : ImportKind.ADDED);
    }

    private static String withoutPayload(Item item) {
        return "it was exported without payload: " + item.entry().missing();
    }

    /** A topic made again has other messages at the same coordinates. */
    private static boolean isSameMessage(Letter row, Letter letter) {
        return row.origin().coordinates().equals(letter.origin().coordinates())
                && row.origin().timestamp() == letter.origin().timestamp();
    }

    private static boolean isSameKey(Letter row, Letter letter) {
        return row.record().coordinates().equals(letter.record().coordinates())
                && row.record().topicId().equals(letter.record().topicId());
    }

    private static boolean isSameRecord(Letter row, Letter letter) {
        RecordIdentity record = letter.record();
        if (record.topicId().equals(Letter.UNKNOWN_TOPIC_ID)) {
            // Read from the dead-letter topic, which tells only of the record that first failed.
            return isSameMessage(row, letter) && row.record().payloadHash() == record.payloadHash();
        }
        return row.record().equals(record);
    }
}
