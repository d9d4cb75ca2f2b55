package dev.onceward.message;

import java.util.function.Predicate;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Copies of headers, values included: changing one never reaches the other. */
final class HeaderCopy {
    private HeaderCopy() {}

    static RecordHeaders of(Headers headers) {
        return of(headers, name -> true);
    }

    /** Those whose name is wanted; order and duplicates stay. */
    static RecordHeaders of(Headers headers, Predicate<String> wanted) {
        RecordHeaders copy = new RecordHeaders();
        for (Header header : headers) {
            if (wanted.test(header.key())) {
                byte[] value = header.value();
                copy.add(new RecordHeader(header.key(), value == null ? null : value.clone()));
            }
        }
        return copy;
    }
}
