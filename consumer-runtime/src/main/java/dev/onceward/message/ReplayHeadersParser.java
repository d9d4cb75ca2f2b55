package dev.onceward.message;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.handler.Coordinates;
import dev.onceward.handler.InvalidMessageIdException;
import java.io.Serial;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;

/** Reads the replay headers of one record, each at most once, strictly: what is not exactly right is refused. */
final class ReplayHeadersParser {
    private static final Pattern TOPIC = Pattern.compile("[a-zA-Z0-9._-]{1,249}");
    private static final Pattern DECIMAL = Pattern.compile("0|-?[1-9][0-9]*");
    /** Kafka's word for "this record has no timestamp". */
    private static final long NO_TIMESTAMP = -1;

    private final Headers headers;

    ReplayHeadersParser(Headers headers) {
        this.headers = headers;
    }

    ReplayHeaders parse() {
        try {
            Coordinates coordinates = new Coordinates(
                    topic(),
                    (int) number(HeaderNames.REPLAY_ORIGINAL_PARTITION, 0, Integer.MAX_VALUE),
                    number(HeaderNames.REPLAY_ORIGINAL_OFFSET, 0, Long.MAX_VALUE));
            long timestamp = number(HeaderNames.REPLAY_ORIGINAL_TIMESTAMP, NO_TIMESTAMP, Long.MAX_VALUE);
            int count = (int) number(HeaderNames.REPLAY_COUNT, 1, Integer.MAX_VALUE);
            return new ReplayHeaders.Replay(new Origin(coordinates, timestamp, count), messageId(), originalHeaders());
        } catch (MalformedHeader e) {
            return new ReplayHeaders.Refused(e.why);
        }
    }

    private String topic() throws MalformedHeader {
        String topic = required(HeaderNames.REPLAY_ORIGINAL_TOPIC);
        if (!TOPIC.matcher(topic).matches()) {
            throw new MalformedHeader(HeaderNames.REPLAY_ORIGINAL_TOPIC, "is not the name of a topic");
        }
        return topic;
    }

    private long number(HeaderNames name, long min, long max) throws MalformedHeader {
        String text = required(name);
        // The pattern, since parseLong takes "+7", "007" and the digits of other scripts too.
        if (DECIMAL.matcher(text).matches()) {
            try {
                long number = Long.parseLong(text);
                if (number >= min && number <= max) {
                    return number;
                }
            } catch (NumberFormatException e) {
                // Too long for a long: as far out of range as any other.
            }
        }
        throw new MalformedHeader(name, "is not a decimal number from " + min + " to " + max);
    }

    private @Nullable String messageId() throws MalformedHeader {
        String id = optional(HeaderNames.REPLAY_MESSAGE_ID);
        try {
            return id == null ? null : MessageIdRules.checked(id);
        } catch (InvalidMessageIdException e) {
            throw new MalformedHeader(HeaderNames.REPLAY_MESSAGE_ID, "cannot be used: " + e.getMessage());
        }
    }

    private RecordHeaders originalHeaders() {
        RecordHeaders original = HeaderCopy.of(headers, name -> !name.startsWith(HeaderNames.REPLAY_PREFIX));
        original.setReadOnly();
        return original;
    }

    private String required(HeaderNames name) throws MalformedHeader {
        String text = optional(name);
        if (text == null) {
            throw new MalformedHeader(name, "is missing");
        }
        return text;
    }

    private @Nullable String optional(HeaderNames name) throws MalformedHeader {
        Iterator<Header> found = headers.headers(name.key()).iterator();
        if (!found.hasNext()) {
            return null;
        }
        byte[] value = found.next().value();
        if (found.hasNext()) {
            throw new MalformedHeader(name, "occurs more than once");
        }
        if (value == null) {
            throw new MalformedHeader(name, "has no value");
        }
        try {
            // A decoder reports malformed bytes, where new String() would replace them.
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(value))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new MalformedHeader(name, "is not UTF-8");
        }
    }

    /** Ends the reading; becomes the reason of the refusal. */
    private static final class MalformedHeader extends Exception {
        @Serial
        private static final long serialVersionUID = 1L;

        private final String why;

        MalformedHeader(HeaderNames name, String what) {
            super(null, null, false, false);
            this.why = "header '" + name.key() + "' " + what;
        }
    }
}
