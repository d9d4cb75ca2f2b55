package dev.onceward.dlq.transfer;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.index.Letter;
import java.util.Arrays;

/**
 * What a line that can be read must fulfil before it may change anything. An export must be readable also where somebody
 * wrote nonsense into a dead-letter topic, so the parser does not ask for this.
 */
final class LineChecks {
    private LineChecks() {}

    /**
     * Finds what a worker, or an export, cannot have written.
     *
     * @param knowsStatus whether the file's letters are of the database, as its first line says
     */
    static void check(ExportLine.Entry entry, boolean knowsStatus) throws BadLineException {
        Letter letter = entry.letter();
        boolean hasTopicId = !letter.record().topicId().equals(Letter.UNKNOWN_TOPIC_ID);
        if (hasTopicId != knowsStatus) {
            throw new BadLineException(
                    hasTopicId
                            ? "record.topicId must be null: by the first line the letters are of the dead-letter topic,"
                                    + " which does not tell it"
                            : "record.topicId must not be null: by the first line the letters are of the database");
        }
        boolean first = letter.record().coordinates().equals(letter.origin().coordinates());
        if (first && letter.record().timestamp() != letter.origin().timestamp()) {
            throw new BadLineException("record.timestamp and origin.timestamp are of one record and do not agree");
        }
        checkReason(letter.failure().reason(), knowsStatus);
        if (entry.content() != null) {
            checkHeaders(letter, entry.content());
        }
    }

    private static void checkReason(String reason, boolean knowsStatus) throws BadLineException {
        boolean known = Arrays.stream(DeadLetterReason.values())
                .anyMatch(one -> one.name().equals(reason));
        // A record that was nearly too large does not tell it in the topic.
        if (!known && (knowsStatus || !reason.isEmpty())) {
            throw new BadLineException("reason: there is no " + reason);
        }
    }

    private static void checkHeaders(Letter letter, ExportLine.Content content) throws BadLineException {
        // With another one it would be taken for another message, of which nothing is known: neither that it was erased
        // nor that it took effect.
        LineParser.agree(
                content,
                HeaderNames.DLQ_ORIGINAL_TIMESTAMP,
                String.valueOf(letter.origin().timestamp()),
                "origin.timestamp");
        // An import may have made it TOO_OLD, and the copy still tells what it was. The other way round is a lie.
        if (!letter.failure().reason().equals(DeadLetterReason.TOO_OLD.name())) {
            LineParser.agree(content, HeaderNames.DLQ_REASON, letter.failure().reason(), "reason");
        }
    }
}
