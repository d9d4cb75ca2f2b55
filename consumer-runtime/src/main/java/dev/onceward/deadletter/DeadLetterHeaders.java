package dev.onceward.deadletter;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.handler.Coordinates;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * The headers of a dead letter: the original ones as they came, then the diagnostics, one value per name. What an
 * earlier failure or replay wrote is left out, so that a message that goes round any number of times does not grow.
 */
final class DeadLetterHeaders {
    private final RecordHeaders headers = new RecordHeaders();

    private DeadLetterHeaders() {}

    static Headers of(DeadLetter letter, Iterable<Header> original, String groupId, DiagnosticSize size) {
        DeadLetterHeaders result = new DeadLetterHeaders();
        result.keep(original);
        if (size != DiagnosticSize.NONE) {
            result.origin(letter);
        }
        if (size.messageBytes() > 0) {
            result.diagnostics(letter, groupId, size);
        }
        return result.headers;
    }

    private void keep(Iterable<Header> original) {
        for (Header header : original) {
            if (!HeaderNames.isOurs(header.key())) {
                headers.add(header); // the same object: bytes, order, duplicates and null values as they came
            }
        }
    }

    private void origin(DeadLetter letter) {
        Coordinates origin = letter.origin().coordinates();
        add(HeaderNames.ERRORS_TOPIC, origin.topic());
        add(HeaderNames.ERRORS_PARTITION, String.valueOf(origin.partition()));
        add(HeaderNames.ERRORS_OFFSET, String.valueOf(origin.offset()));
    }

    private void diagnostics(DeadLetter letter, String groupId, DiagnosticSize size) {
        add(HeaderNames.ERRORS_GROUP, groupId);
        add(HeaderNames.ERRORS_DELIVERY_COUNT, String.valueOf(letter.attempts()));
        add(HeaderNames.ERRORS_MESSAGE, SafeText.line(letter.errorMessage(), size.messageBytes()));
        if (letter.messageId() != null) {
            add(HeaderNames.DLQ_MESSAGE_ID, letter.messageId());
        }
        add(HeaderNames.DLQ_REASON, letter.reason().name());
        add(HeaderNames.DLQ_EXCEPTION, SafeText.line(letter.errorClass(), ErrorText.MAX_CLASS_BYTES));
        if (size.stacktraceBytes() > 0 && !letter.stacktrace().isEmpty()) {
            add(HeaderNames.DLQ_STACKTRACE, SafeText.lines(letter.stacktrace(), size.stacktraceBytes()));
        }
        add(HeaderNames.DLQ_FIRST_FAILED_AT, letter.firstFailedAt().toString());
        add(HeaderNames.DLQ_FAILED_AT, letter.failedAt().toString());
        add(HeaderNames.DLQ_ORIGINAL_TIMESTAMP, String.valueOf(letter.origin().timestamp()));
        add(HeaderNames.DLQ_WORKER, letter.workerId());
        add(HeaderNames.DLQ_GENERATION, String.valueOf(letter.generation()));
        add(HeaderNames.DLQ_REPLAYS, String.valueOf(letter.origin().replays()));
    }

    private void add(HeaderNames name, String value) {
        headers.add(name.key(), value.getBytes(StandardCharsets.UTF_8));
    }
}
