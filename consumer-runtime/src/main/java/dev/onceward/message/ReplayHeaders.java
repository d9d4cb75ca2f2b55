package dev.onceward.message;

import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/** What the headers of a record in the replay topic say about the record that first failed. */
public sealed interface ReplayHeaders {

    /**
     * All there and well-formed.
     *
     * @param origin the record that first failed; its topic decides the handler
     * @param messageId the id of the dead letter; {@code null} where it had none: to be extracted again
     * @param headers those of the record that first failed, in order, read-only
     */
    record Replay(Origin origin, @Nullable String messageId, Headers headers) implements ReplayHeaders {}

    /**
     * Not a replay that anyone could route: something is missing, there twice, or malformed.
     *
     * @param why names the header and what is wrong with it
     */
    record Refused(String why) implements ReplayHeaders {}

    /** Reads the headers of a record in the replay topic, where anybody may have written. Never throws. */
    static ReplayHeaders parse(Headers headers) {
        return new ReplayHeadersParser(headers).parse();
    }
}
