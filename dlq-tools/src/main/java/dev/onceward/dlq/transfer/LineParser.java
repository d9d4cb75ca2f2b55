package dev.onceward.dlq.transfer;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.catalog.HeaderNames;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.PayloadHash;
import dev.onceward.message.RecordIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/** From JSON to lines. The file may have been edited, cut or forged: nothing in it is believed that can be checked. */
final class LineParser {
    private static final int ID_LENGTH = 200;
    private static final int WORKER_LENGTH = 100;
    private static final int REASON_LENGTH = 40;
    private static final int CONSUMER_LENGTH = 100;

    // Payloads may be as large as Kafka takes them; Jackson's own limit is meant for servers that strangers write to.
    private static final JsonMapper MAPPER = JsonMapper.builder(JsonFactory.builder()
                    .streamReadConstraints(StreamReadConstraints.builder()
                            .maxStringLength(Integer.MAX_VALUE)
                            .build())
                    .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                    .build())
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private LineParser() {}

    static ExportLine parse(byte[] line) throws BadLineException {
        Object json;
        try {
            json = MAPPER.readValue(line, Object.class);
        } catch (JsonProcessingException e) {
            throw new BadLineException("it is no JSON: " + e.getOriginalMessage());
        } catch (IOException e) {
            throw new BadLineException("it is no JSON: " + e.getMessage());
        }
        if (!(json instanceof Map<?, ?> map)) {
            throw new BadLineException("it is no JSON object");
        }
        JsonFields fields = JsonFields.of(map);
        if (fields.has("format")) {
            return head(fields);
        }
        return fields.has("end") ? new ExportLine.End(fields.count("letters")) : entry(fields);
    }

    private static ExportLine.Head head(JsonFields fields) throws BadLineException {
        if (!fields.text("format").equals(LineWriter.FORMAT)) {
            throw new BadLineException("format must be " + LineWriter.FORMAT);
        }
        long version = fields.number("version", 1, Integer.MAX_VALUE);
        if (version != LineWriter.VERSION) {
            throw new BadLineException("it is of version " + version + ", and this dlq knows version "
                    + LineWriter.VERSION + ": take a dlq of the version that wrote it");
        }
        return new ExportLine.Head(
                fields.text("consumer", CONSUMER_LENGTH),
                fields.text("filter"),
                fields.instant("startedAt"),
                fields.instant("asOf"),
                fields.bool("knowsStatus"));
    }

    private static ExportLine.Entry entry(JsonFields fields) throws BadLineException {
        boolean erased = !fields.isNull("erasedAt");
        JsonFields origin = fields.object("origin");
        JsonFields record = fields.object("record");
        JsonFields copy = fields.isNull("copy") ? null : fields.object("copy");
        JsonFields error = erased ? null : fields.object("error");
        ExportLine.Content content = content(fields, copy);
        int replays = fields.smallCount("replays");
        Letter letter = new Letter(
                fields.text("consumer", CONSUMER_LENGTH),
                new RecordIdentity(
                        coordinates(record),
                        record.topicId("topicId"),
                        record.number("timestamp", Long.MIN_VALUE, Long.MAX_VALUE),
                        record.hash("payloadHash")),
                new Origin(coordinates(origin), origin.number("timestamp", Long.MIN_VALUE, Long.MAX_VALUE), replays),
                fields.textOrNull("messageId", ID_LENGTH),
                content == null ? fields.bytes("key") : content.key(),
                status(fields, "status"),
                status(fields, "storedStatus"),
                copy == null ? null : coordinates(copy),
                new Letter.Failure(
                        fields.text("reason", REASON_LENGTH),
                        error == null ? "" : error.text("class"),
                        error == null ? "" : error.text("message"),
                        fields.smallCount("attempts"),
                        fields.instant("firstFailedAt"),
                        fields.instant("failedAt"),
                        fields.text("worker", WORKER_LENGTH),
                        fields.count("generation")),
                history(fields, replays));
        if (content != null) {
            check(letter, content);
        }
        return new ExportLine.Entry(
                letter,
                error == null ? "" : error.text("stacktrace"),
                content,
                content == null ? fields.text("payloadMissing") : null);
    }

    private static Letter.History history(JsonFields fields, int replays) throws BadLineException {
        return new Letter.History(
                fields.instantOrNull("deadAt"),
                replays,
                fields.instantOrNull("replayedAt"),
                fields.instantOrNull("resolvedAt"),
                fields.instantOrNull("discardedAt"),
                fields.textOrNull("discardedBy", Integer.MAX_VALUE),
                fields.textOrNull("discardReason", Integer.MAX_VALUE),
                fields.instantOrNull("editedAt"),
                fields.textOrNull("editedBy", Integer.MAX_VALUE),
                fields.hashOrNull("editedPayloadHash"),
                fields.textOrNull("assertedBy", Integer.MAX_VALUE),
                fields.instantOrNull("erasedAt"));
    }

    private static ExportLine.@Nullable Content content(JsonFields fields, @Nullable JsonFields copy)
            throws BadLineException {
        if (!fields.has("value")) {
            return null;
        }
        if (copy == null || fields.has("payloadMissing") || !fields.isNull("erasedAt")) {
            throw new BadLineException("value must not be there: the letter is said to have none");
        }
        List<Header> headers = new ArrayList<>();
        for (Object element : fields.list("headers")) {
            if (!(element instanceof List<?> pair) || pair.size() != 2 || !(pair.get(0) instanceof String name)) {
                throw new BadLineException("headers must be arrays of a name and a value");
            }
            JsonFields.bytes("the name of a header", name);
            headers.add(new RecordHeader(name, JsonFields.bytes("header " + name, pair.get(1))));
        }
        return new ExportLine.Content(
                fields.bytes("key"),
                fields.bytes("value"),
                List.copyOf(headers),
                copy.number("timestamp", Long.MIN_VALUE, Long.MAX_VALUE));
    }

    /** What the line says twice must agree: its copy would not be taken for that of the letter. */
    private static void check(Letter letter, ExportLine.Content content) throws BadLineException {
        if (PayloadHash.of(content.value()) != letter.record().payloadHash()) {
            throw new BadLineException("record.payloadHash is not the hash of value: one of them was changed");
        }
        Coordinates origin = letter.origin().coordinates();
        agree(content, HeaderNames.ERRORS_TOPIC, origin.topic(), "origin");
        agree(content, HeaderNames.ERRORS_PARTITION, String.valueOf(origin.partition()), "origin");
        agree(content, HeaderNames.ERRORS_OFFSET, String.valueOf(origin.offset()), "origin");
        agree(content, HeaderNames.DLQ_MESSAGE_ID, letter.messageId(), "messageId");
    }

    /** A header may be missing, as it is where a record was nearly too large, but not tell something else than its field. */
    static void agree(ExportLine.Content content, HeaderNames name, @Nullable String expected, String field)
            throws BadLineException {
        for (Header header : content.headers()) {
            if (header.key().equals(name.key())
                    && (header.value() == null
                            || !new String(header.value(), StandardCharsets.UTF_8).equals(expected))) {
                throw new BadLineException("the header " + name + " does not agree with the letter's " + field);
            }
        }
    }

    private static Coordinates coordinates(JsonFields fields) throws BadLineException {
        return new Coordinates(fields.topic("topic"), fields.smallCount("partition"), fields.count("offset"));
    }

    private static DeadLetterStatus status(JsonFields fields, String name) throws BadLineException {
        String text = fields.text(name);
        try {
            return DeadLetterStatus.valueOf(text);
        } catch (IllegalArgumentException e) {
            throw new BadLineException(name + ": there is no status " + text);
        }
    }
}
