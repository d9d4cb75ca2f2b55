package dev.onceward.handler;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** {@link MessageIds#jsonPointer}. Reads the whole value, so that no second meaning of it goes unnoticed. */
final class JsonPointerId implements MessageIdExtractor {
    private static final Pattern POINTER = Pattern.compile("(/([^~/]|~[01])*)*");
    private static final Pattern INDEX = Pattern.compile("0|[1-9][0-9]{0,8}");
    /** Names come from outside: interned, they would stay in memory for ever. */
    private static final JsonFactory JSON = JsonFactory.builder()
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .build();

    private final String pointer;
    private final List<String> path;

    JsonPointerId(String pointer) {
        if (!POINTER.matcher(pointer).matches()) {
            throw new IllegalArgumentException(
                    "'" + pointer + "' is no JSON pointer: it must be empty or begin with '/',"
                            + " and '~' in a name is written '~0', '/' is written '~1'");
        }
        this.pointer = pointer;
        this.path = pointer.isEmpty()
                ? List.of()
                : Arrays.stream(pointer.substring(1).split("/", -1))
                        .map(name -> name.replace("~1", "/").replace("~0", "~"))
                        .toList();
    }

    @Override
    public @Nullable String extract(ConsumerRecord<byte[], byte[]> record, Uuid topicId) {
        if (record.value() == null) {
            return null;
        }
        // As text, since the reader of bytes takes more than UTF-8: other encodings, and longer forms of a character.
        String value = StrictUtf8.text(record.value(), "the value");
        try (JsonParser json = JSON.createParser(withoutByteOrderMark(value))) {
            String id = json.nextToken() == null ? null : find(json, 0);
            if (json.nextToken() != null) {
                throw new InvalidMessageIdException("the value is more than one JSON value");
            }
            return id;
        } catch (JsonProcessingException e) {
            // Its own text quotes the payload, which must not reach logs and headers.
            JsonLocation at = e.getLocation(); // none where a limit of the reader is passed
            throw new InvalidMessageIdException("the value cannot be read as JSON, as " + this + " needs: fault at "
                    + (at == null ? "an unknown place" : "character " + at.getCharOffset()));
        } catch (IOException e) {
            throw new UncheckedIOException("reading text in memory", e);
        }
    }

    @Override
    public String toString() {
        return "JSON pointer '" + pointer + "'";
    }

    /** Reads the value that begins at the current token, to its end. */
    private @Nullable String find(JsonParser json, int depth) throws IOException {
        if (depth == path.size()) {
            return scalar(json);
        }
        if (json.currentToken() == JsonToken.START_OBJECT) {
            return findInObject(json, depth);
        }
        if (json.currentToken() == JsonToken.START_ARRAY) {
            return findInArray(json, depth);
        }
        return null;
    }

    private @Nullable String findInObject(JsonParser json, int depth) throws IOException {
        String name = path.get(depth);
        boolean seen = false;
        String id = null;
        while (json.nextToken() != JsonToken.END_OBJECT) {
            boolean wanted = name.equals(json.currentName());
            json.nextToken();
            if (!wanted) {
                json.skipChildren();
                continue;
            }
            if (seen) {
                throw new InvalidMessageIdException("a name of " + this + " occurs twice in its object");
            }
            seen = true;
            id = find(json, depth + 1);
        }
        return id;
    }

    private @Nullable String findInArray(JsonParser json, int depth) throws IOException {
        String name = path.get(depth);
        int wanted = INDEX.matcher(name).matches() ? Integer.parseInt(name) : -1;
        String id = null;
        for (int index = 0; json.nextToken() != JsonToken.END_ARRAY; index++) {
            if (index == wanted) {
                id = find(json, depth + 1);
            } else {
                json.skipChildren();
            }
        }
        return id;
    }

    private @Nullable String scalar(JsonParser json) throws IOException {
        return switch (json.currentToken()) {
            case VALUE_STRING, VALUE_NUMBER_INT -> json.getText();
            case VALUE_NULL -> null;
            default ->
                throw new InvalidMessageIdException(
                        this + " leads to something that is neither text nor a whole number");
        };
    }

    private static String withoutByteOrderMark(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }
}
