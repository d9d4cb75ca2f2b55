package dev.onceward.message;

import dev.onceward.handler.InvalidMessageIdException;

/** What every message id must be, whichever extractor found it. The database is never left to find out. */
final class MessageIdRules {
    /** Of column message_id; PostgreSQL counts code points. */
    private static final int MAX_CODE_POINTS = 200;

    private MessageIdRules() {}

    /** The id as it is: never trimmed or cut, since two ids that differ must stay different. */
    static String checked(String id) {
        if (id.isBlank()) {
            throw new InvalidMessageIdException(id.isEmpty() ? "the message id is empty" : "the message id is blank");
        }
        int characters = 0;
        for (int i = 0; i < id.length(); characters++) {
            int character = id.codePointAt(i);
            if (character == 0) {
                // PostgreSQL's text cannot hold it; the error would hit the whole group's transaction.
                throw new InvalidMessageIdException("the message id contains NUL (U+0000)");
            }
            if (Character.isBmpCodePoint(character) && Character.isSurrogate((char) character)) {
                // No UTF-8 exists for it: drivers send '?' instead, and different ids would become equal.
                throw new InvalidMessageIdException("the message id contains half a surrogate pair");
            }
            i += Character.charCount(character);
        }
        if (characters > MAX_CODE_POINTS) {
            throw new InvalidMessageIdException("the message id is " + characters + " characters long, at most "
                    + MAX_CODE_POINTS + " can be stored; let a MessageIdExtractor shorten it to a hash");
        }
        return id;
    }
}
