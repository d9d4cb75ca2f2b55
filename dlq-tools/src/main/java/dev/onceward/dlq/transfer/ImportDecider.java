package dev.onceward.dlq.transfer;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.topic.Payload;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Decides what is to become of the letters of a file, and changes nothing. */
final class ImportDecider {
    private static final ImportDecision STAYS_ERASED = ImportDecision.refused("its data were erased, and stay so");

    private final Copies copies;
    private final ConsumerFacts facts;

    ImportDecider(Copies copies, ConsumerFacts facts) {
        this.copies = copies;
        this.facts = facts;
    }

    /**
     * What is to become of one letter.
     *
     * @param known rows with the coordinates of its record, or of its origin
     * @param evidence what the tables tell of its message
     */
    ImportDecision decide(FileLetter item, List<Letter> known, ImportRows.Evidence evidence) throws SQLException {
        Letter letter = item.letter();
        List<Letter> sameMessage = sameMessage(known, letter);
        Optional<Letter> row = known.stream()
                .filter(candidate -> isSameRecord(candidate, letter))
                .max(Comparator.comparing(ImportDecider::deadAt));
        if (isErased(sameMessage) || (row.isEmpty() && evidence.erased())) {
            boolean erased = letter.history().erasedAt() != null;
            return erased ? ImportDecision.of(ImportKind.THERE) : STAYS_ERASED;
        }
        if (row.isEmpty() && known.stream().anyMatch(candidate -> contradicts(candidate, letter))) {
            return ImportDecision.refused(
                    "the dead letter that is known at " + letter.record().coordinates() + " is of another record");
        }
        if (tookEffect(sameMessage, evidence) || (row.isEmpty() && letter.status() == DeadLetterStatus.RESOLVED)) {
            return ImportDecision.of(ImportKind.TOOK_EFFECT);
        }
        return row.isPresent() ? known(item, row.get()) : unknown(item, sameMessage, evidence);
    }

    /** What became of one that was to be written, and was not: somebody else changed its row between. */
    ImportDecision overtaken(Letter letter, List<Letter> known, ImportRows.Evidence evidence) {
        List<Letter> sameMessage = sameMessage(known, letter);
        if (isErased(sameMessage) || (sameMessage.isEmpty() && evidence.erased())) {
            return STAYS_ERASED;
        }
        if (tookEffect(sameMessage, evidence)) {
            return ImportDecision.of(ImportKind.TOOK_EFFECT);
        }
        return sameMessage.isEmpty()
                ? ImportDecision.impossible("somebody else took its row away meanwhile")
                : ImportDecision.of(ImportKind.THERE);
    }

    private ImportDecision known(FileLetter item, Letter row) throws SQLException {
        if (row.stored() == DeadLetterStatus.PENDING) {
            return ImportDecision.of(ImportKind.PENDING);
        }
        Coordinates copy = row.copy();
        if (copy == null) {
            // Nothing can be made of it: its row says for good that it cannot be replayed.
            return ImportDecision.impossible("its payload was lost before it was published");
        }
        // Read, and not only looked whether there is something at that offset: where the topic was made again, what
        // this import itself has put back is at the offsets where others were.
        if (copies.read(row) instanceof Payload.Found) {
            return ImportDecision.of(ImportKind.THERE);
        }
        if (item.entry().content() == null) {
            return ImportDecision.impossible(withoutPayload(item));
        }
        String refusal = facts.refusal(item.letter(), copy.topic());
        return refusal == null ? new ImportDecision(ImportKind.RESTORED, null, row) : ImportDecision.refused(refusal);
    }

    private ImportDecision unknown(FileLetter item, List<Letter> sameMessage, ImportRows.Evidence evidence)
            throws SQLException {
        Letter letter = item.letter();
        Instant told = letter.history().deadAt();
        Instant failed = told == null ? letter.failure().failedAt() : told;
        if (sameMessage.stream().anyMatch(other -> !deadAt(other).isBefore(failed))) {
            // As the newest row of its origin it would be taken for the latest failure.
            return ImportDecision.of(ImportKind.FAILED_LATER);
        }
        Coordinates copy = letter.copy();
        if (item.entry().content() == null || copy == null) {
            return ImportDecision.impossible(withoutPayload(item));
        }
        String refusal = facts.refusal(letter, copy.topic());
        if (refusal != null) {
            return ImportDecision.refused(refusal);
        }
        return ImportDecision.of(evidence.becomesTooOld() ? ImportKind.ADDED_TOO_OLD : ImportKind.ADDED);
    }

    private static List<Letter> sameMessage(List<Letter> known, Letter letter) {
        return known.stream().filter(row -> isSameMessage(row, letter)).toList();
    }

    private static boolean isErased(List<Letter> rows) {
        return rows.stream().anyMatch(row -> row.history().erasedAt() != null);
    }

    private static boolean tookEffect(List<Letter> rows, ImportRows.Evidence evidence) {
        return evidence.tookEffect() || rows.stream().anyMatch(row -> row.status() == DeadLetterStatus.RESOLVED);
    }

    /** By the database's clock, since those of workers differ; what is not yet acknowledged is the newest. */
    private static Instant deadAt(Letter row) {
        Instant deadAt = row.history().deadAt();
        return deadAt == null ? Instant.MAX : deadAt;
    }

    private static String withoutPayload(FileLetter item) {
        return "it was exported without payload: " + item.entry().missing();
    }

    /** A topic made again has other messages at the same coordinates. */
    private static boolean isSameMessage(Letter row, Letter letter) {
        return row.origin().coordinates().equals(letter.origin().coordinates())
                && row.origin().timestamp() == letter.origin().timestamp();
    }

    /** The same place of the same topic with another record, or the same record with the id of another topic. */
    private static boolean contradicts(Letter row, Letter letter) {
        return row.record().coordinates().equals(letter.record().coordinates())
                && (row.record().topicId().equals(letter.record().topicId())
                        || (row.record().timestamp() == letter.record().timestamp()
                                && row.record().payloadHash() == letter.record().payloadHash()));
    }

    private static boolean isSameRecord(Letter row, Letter letter) {
        RecordIdentity record = letter.record();
        if (record.topicId().equals(Letter.UNKNOWN_TOPIC_ID)) {
            // Read from the dead-letter topic, which tells only of the record that first failed.
            return isSameMessage(row, letter) && row.record().payloadHash() == record.payloadHash();
        }
        return row.record().equals(record) && isSameMessage(row, letter);
    }
}
