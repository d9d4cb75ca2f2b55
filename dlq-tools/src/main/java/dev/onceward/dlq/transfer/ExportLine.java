package dev.onceward.dlq.transfer;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Letter;
import java.time.Instant;
import java.util.List;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;

/** One line of a file of dead letters: first a header, then letters, last an end. */
sealed interface ExportLine {
    /** Why the content of an erased letter is missing. */
    String ERASED = "its data were erased";

    /**
     * What the file holds.
     *
     * @param consumer whose letters
     * @param filter which of them, as options
     * @param startedAt by the clock of the command that began it: what {@code --since 2h} counts from, also when the export
     *     is resumed
     * @param asOf what existed then, by the clock of where they were looked up
     * @param knowsStatus whether the status of the letters was known
     */
    record Head(String consumer, String filter, Instant startedAt, Instant asOf, boolean knowsStatus)
            implements ExportLine {}

    /**
     * A letter.
     *
     * @param content its copy in the dead-letter topic; {@code null}: it could not be had
     * @param missing why there is no content; {@code null}: there is
     */
    record Entry(
            Letter letter,
            String stacktrace,
            @Nullable Content content,
            @Nullable String missing) implements ExportLine {
        /** Without anything that was erased. */
        Entry erased() {
            return letter.history().erasedAt() != null && content == null
                    ? this
                    : new Entry(letter.erased(Instant.now()), "", null, ERASED);
        }

        /**
         * Whether it is without payload and should have one. It is no surprise that what took effect long ago is gone, nor
         * that what never was in the topic is not there.
         */
        boolean isLost() {
            return content == null
                    && letter.copy() != null
                    && letter.status() != DeadLetterStatus.RESOLVED
                    && letter.history().erasedAt() == null;
        }
    }

    /**
     * The copy in the dead-letter topic, byte for byte.
     *
     * @param headers all of them, in order
     * @param timestamp of the copy
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    record Content(byte @Nullable [] key, byte @Nullable [] value, List<Header> headers, long timestamp) {}

    /** Nothing is missing before this. */
    record End(long letters) implements ExportLine {}
}
