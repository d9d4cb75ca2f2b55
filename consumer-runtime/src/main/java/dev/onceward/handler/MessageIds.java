package dev.onceward.handler;

import java.util.List;

/**
 * The ready-made ways to find a message's id. All are thread-safe and immutable.
 *
 * <p>An id must be the same whenever the same message comes again, also when its producer sends it twice, and must never
 * be used for another one. Ids are compared as they are: nothing is trimmed, shortened or folded. An id that is there
 * but cannot be used (empty, blank, not UTF-8, ambiguous) makes the message invalid, so that it is dead-lettered; it is
 * never treated as if it were absent, since the next extractor would give the same message another id.
 */
public final class MessageIds {
    private static final MessageIdExtractor STANDARD = firstOf(header("message-id"), cloudEvents());

    private MessageIds() {}

    /** What a runtime uses where nothing is said: header {@code message-id}, else {@link #cloudEvents()}. */
    public static MessageIdExtractor standard() {
        return STANDARD;
    }

    /**
     * The value of a header, as UTF-8. A header that occurs more than once is invalid, also with equal values: two
     * writers have said what the id is, and nothing tells whether they meant the same message.
     *
     * @param name the header's name, exactly
     * @throws IllegalArgumentException the name is blank
     */
    public static MessageIdExtractor header(String name) {
        return new HeaderId(name);
    }

    /**
     * The headers {@code ce_id} and {@code ce_source} of a CloudEvent in binary mode, which are unique only together.
     * The id is {@code source#id}; {@code %} and {@code #} in the source are written {@code %25} and {@code %23}, so that
     * two pairs never look alike. Where that is longer than 200 characters, it is {@code ce-sha256:} and the SHA-256 of
     * its UTF-8, in 64 hexadecimal digits. One of the two headers without the other is invalid.
     */
    public static MessageIdExtractor cloudEvents() {
        return new CloudEventsId();
    }

    /** The record's key, as UTF-8: for topics in which each key occurs once. A record without key has none. */
    public static MessageIdExtractor key() {
        return new KeyId();
    }

    /**
     * What a JSON pointer (RFC 6901) names in the record's value, which must be plain JSON. Takes text and whole
     * numbers; {@code "7"} and {@code 7} are the same id. There is none where the pointer leads nowhere or to
     * {@code null}, and in a tombstone. Invalid: anything else at that place; a value that is not JSON or more than
     * one; a name on the way that occurs twice in its object, since readers disagree on which of the two counts.
     *
     * @param pointer such as {@code /payment/id}; {@code ~1} stands for {@code /} and {@code ~0} for {@code ~} in a name
     * @throws IllegalArgumentException it is no JSON pointer
     */
    public static MessageIdExtractor jsonPointer(String pointer) {
        return new JsonPointerId(pointer);
    }

    /**
     * {@code topic-id/partition/offset}: every record is a message of its own. Suppresses what Kafka delivers again, not
     * what a producer sends again. The topic's id is part of it, since a topic that is deleted and made again starts with
     * the same offsets.
     */
    public static MessageIdExtractor coordinates() {
        return new CoordinatesId();
    }

    /**
     * The first id that one of them finds. An invalid one ends the search: the message is invalid.
     *
     * @throws IllegalArgumentException none is given
     */
    public static MessageIdExtractor firstOf(MessageIdExtractor... extractors) {
        return new FirstId(List.of(extractors));
    }
}
