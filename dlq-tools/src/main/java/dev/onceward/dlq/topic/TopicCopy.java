package dev.onceward.dlq.topic;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.PayloadHash;
import dev.onceward.message.RecordIdentity;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** A record of a dead-letter topic that says where it comes from, as a letter. */
final class TopicCopy {
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");

    private final ConsumerRecord<byte[], byte[]> record;
    private final Coordinates origin;

    private TopicCopy(ConsumerRecord<byte[], byte[]> record, Coordinates origin) {
        this.record = record;
        this.origin = origin;
    }

    /** Empty: it names no record that failed. */
    static Optional<TopicCopy> of(ConsumerRecord<byte[], byte[]> record) {
        String topic = text(record, HeaderNames.ERRORS_TOPIC);
        long partition = number(record, HeaderNames.ERRORS_PARTITION, -1);
        long offset = number(record, HeaderNames.ERRORS_OFFSET, -1);
        return !TOPIC.matcher(topic).matches() || partition < 0 || partition > Integer.MAX_VALUE || offset < 0
                ? Optional.empty()
                : Optional.of(new TopicCopy(record, new Coordinates(topic, (int) partition, offset)));
    }

    Coordinates origin() {
        return origin;
    }

    /** Of the record that first failed; it tells a topic from another one of its name. -1 where it is not known. */
    long originTimestamp() {
        return number(record, HeaderNames.DLQ_ORIGINAL_TIMESTAMP, ConsumerRecord.NO_TIMESTAMP);
    }

    /** Whether it says more than where it comes from: a record that was nearly too large has no room for that. */
    boolean tellsWhy() {
        return !reason().isEmpty();
    }

    String reason() {
        return text(record, HeaderNames.DLQ_REASON);
    }

    String errorClass() {
        return text(record, HeaderNames.DLQ_EXCEPTION);
    }

    @Nullable
    String messageId() {
        String id = text(record, HeaderNames.DLQ_MESSAGE_ID);
        return id.isEmpty() ? null : id;
    }

    byte @Nullable [] key() {
        return record.key();
    }

    /** When it was given up; where it does not say so, when it was published, which is soon after. */
    Instant failedAt() {
        return instant(HeaderNames.DLQ_FAILED_AT, Instant.ofEpochMilli(record.timestamp()));
    }

    String stacktrace() {
        return text(record, HeaderNames.DLQ_STACKTRACE);
    }

    Coordinates place() {
        return new Coordinates(record.topic(), record.partition(), record.offset());
    }

    Letter letter(String consumer) {
        int replays = (int) Math.min(Integer.MAX_VALUE, number(record, HeaderNames.DLQ_REPLAYS, 0));
        return new Letter(
                consumer,
                // Of the record that failed last only the payload is known: for a replay, the headers name the origin.
                new RecordIdentity(origin, Letter.UNKNOWN_TOPIC_ID, originTimestamp(), PayloadHash.of(record.value())),
                new Origin(origin, originTimestamp(), replays),
                messageId(),
                record.key(),
                DeadLetterStatus.DEAD,
                DeadLetterStatus.DEAD,
                place(),
                new Letter.Failure(
                        reason(),
                        errorClass(),
                        text(record, HeaderNames.ERRORS_MESSAGE),
                        (int) Math.min(Integer.MAX_VALUE, number(record, HeaderNames.ERRORS_DELIVERY_COUNT, 0)),
                        instant(HeaderNames.DLQ_FIRST_FAILED_AT, failedAt()),
                        failedAt(),
                        text(record, HeaderNames.DLQ_WORKER),
                        number(record, HeaderNames.DLQ_GENERATION, 0)),
                new Letter.History(null, replays, null, null, null, null, null, null, null, null, null, null));
    }

    private Instant instant(HeaderNames name, Instant otherwise) {
        try {
            String text = text(record, name);
            // To the microsecond, as the database keeps it: a time taken from one list means the same in the other.
            return text.isEmpty()
                    ? otherwise
                    : Instant.parse(text).plusNanos(500).truncatedTo(ChronoUnit.MICROS);
        } catch (DateTimeParseException e) {
            return otherwise; // anybody may have written it
        }
    }

    private static long number(ConsumerRecord<byte[], byte[]> record, HeaderNames name, long otherwise) {
        String text = text(record, name);
        return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : otherwise;
    }

    /** Empty where it is not there. */
    private static String text(ConsumerRecord<byte[], byte[]> record, HeaderNames name) {
        Header header = record.headers().lastHeader(name.key());
        return header == null || header.value() == null ? "" : new String(header.value(), StandardCharsets.UTF_8);
    }
}
