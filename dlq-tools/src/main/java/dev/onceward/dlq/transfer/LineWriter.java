package dev.onceward.dlq.transfer;

import com.fasterxml.jackson.core.JsonEncoding;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.output.Bytes;
import dev.onceward.handler.Coordinates;
import java.io.IOException;
import java.io.OutputStream;
import java.time.Instant;
import java.util.Map;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** From lines to JSON, each straight into the stream: a payload is never held as text and as a line at once. */
final class LineWriter {
    static final String FORMAT = "onceward-dead-letters";
    static final int VERSION = 1;

    private static final JsonFactory FACTORY = JsonFactory.builder()
            .disable(com.fasterxml.jackson.core.StreamWriteFeature.AUTO_CLOSE_TARGET)
            .build();

    private LineWriter() {}

    static void write(OutputStream out, ExportLine line) throws IOException {
        try (JsonGenerator json = FACTORY.createGenerator(out, JsonEncoding.UTF8)) {
            json.writeStartObject();
            if (line instanceof ExportLine.Head head) {
                head(json, head);
            } else if (line instanceof ExportLine.Entry entry) {
                entry(json, entry);
            } else if (line instanceof ExportLine.End end) {
                json.writeBooleanField("end", true);
                json.writeNumberField("letters", end.letters());
            }
            json.writeEndObject();
            // Through the generator: what it holds back must come first.
            json.writeRaw('\n');
        }
    }

    private static void head(JsonGenerator json, ExportLine.Head head) throws IOException {
        json.writeStringField("format", FORMAT);
        json.writeNumberField("version", VERSION);
        json.writeStringField("consumer", head.consumer());
        json.writeStringField("filter", head.filter());
        json.writeStringField("startedAt", head.startedAt().toString());
        json.writeStringField("asOf", head.asOf().toString());
        json.writeBooleanField("knowsStatus", head.knowsStatus());
    }

    private static void entry(JsonGenerator json, ExportLine.Entry entry) throws IOException {
        Letter letter = entry.letter();
        boolean erased = letter.history().erasedAt() != null;
        json.writeStringField("consumer", letter.consumer());
        json.writeObjectFieldStart("origin");
        coordinates(json, letter.origin().coordinates());
        json.writeNumberField("timestamp", letter.origin().timestamp());
        json.writeEndObject();
        json.writeObjectFieldStart("record");
        coordinates(json, letter.record().coordinates());
        text(
                json,
                "topicId",
                letter.record().topicId().equals(Letter.UNKNOWN_TOPIC_ID)
                        ? null
                        : letter.record().topicId());
        json.writeNumberField("timestamp", letter.record().timestamp());
        text(json, "payloadHash", hash(letter.record().payloadHash()));
        json.writeEndObject();
        text(json, "messageId", erased ? null : letter.messageId());
        text(json, "status", letter.status());
        text(json, "storedStatus", letter.stored());
        failure(json, letter.failure(), erased, entry.stacktrace());
        history(json, letter.history());
        content(json, letter, erased, entry);
    }

    private static void failure(JsonGenerator json, Letter.Failure failure, boolean erased, String stacktrace)
            throws IOException {
        text(json, "reason", failure.reason());
        if (!erased) {
            json.writeObjectFieldStart("error");
            text(json, "class", failure.errorClass());
            text(json, "message", failure.errorMessage());
            text(json, "stacktrace", stacktrace);
            json.writeEndObject();
        }
        json.writeNumberField("attempts", failure.attempts());
        text(json, "firstFailedAt", failure.firstFailedAt());
        text(json, "failedAt", failure.failedAt());
        text(json, "worker", failure.workerId());
        json.writeNumberField("generation", failure.generation());
    }

    private static void history(JsonGenerator json, Letter.History history) throws IOException {
        text(json, "deadAt", history.deadAt());
        json.writeNumberField("replays", history.replays());
        text(json, "replayedAt", history.replayedAt());
        text(json, "resolvedAt", history.resolvedAt());
        text(json, "discardedAt", history.discardedAt());
        text(json, "discardedBy", history.discardedBy());
        text(json, "discardReason", history.discardReason());
        text(json, "editedAt", history.editedAt());
        text(json, "editedBy", history.editedBy());
        text(json, "editedPayloadHash", history.editedPayloadHash() == null ? null : hash(history.editedPayloadHash()));
        text(json, "assertedBy", history.assertedBy());
        text(json, "erasedAt", history.erasedAt());
    }

    /** Last in the line: whoever looks at the file finds the facts in front of what may be long. */
    private static void content(JsonGenerator json, Letter letter, boolean erased, ExportLine.Entry entry)
            throws IOException {
        Coordinates copy = letter.copy();
        ExportLine.Content content = entry.content();
        if (copy == null) {
            json.writeNullField("copy");
        } else {
            json.writeObjectFieldStart("copy");
            coordinates(json, copy);
            if (content != null) {
                json.writeNumberField("timestamp", content.timestamp());
            }
            json.writeEndObject();
        }
        if (content == null) {
            if (!erased) {
                bytes(json, "key", letter.key());
            }
            text(json, "payloadMissing", entry.missing());
            return;
        }
        json.writeArrayFieldStart("headers");
        for (Header header : content.headers()) {
            json.writeStartArray();
            json.writeString(header.key());
            bytes(json, header.value());
            json.writeEndArray();
        }
        json.writeEndArray();
        bytes(json, "key", content.key());
        bytes(json, "value", content.value());
    }

    private static void coordinates(JsonGenerator json, Coordinates coordinates) throws IOException {
        json.writeStringField("topic", coordinates.topic());
        json.writeNumberField("partition", coordinates.partition());
        json.writeNumberField("offset", coordinates.offset());
    }

    private static String hash(long hash) {
        return String.format("%016x", hash);
    }

    private static void text(JsonGenerator json, String name, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNullField(name);
        } else {
            json.writeStringField(name, value instanceof Enum<?> known ? known.name() : value.toString());
        }
    }

    private static void text(JsonGenerator json, String name, @Nullable Instant value) throws IOException {
        text(json, name, (Object) value);
    }

    private static void bytes(JsonGenerator json, String name, byte @Nullable [] value) throws IOException {
        json.writeFieldName(name);
        bytes(json, value);
    }

    private static void bytes(JsonGenerator json, byte @Nullable [] value) throws IOException {
        if (value == null) {
            json.writeNull();
            return;
        }
        Object form = Bytes.toJson(value);
        if (form instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> field : map.entrySet()) {
                json.writeStringField(String.valueOf(field.getKey()), String.valueOf(field.getValue()));
            }
            json.writeEndObject();
        } else {
            json.writeString(form.toString());
        }
    }
}
