package dev.onceward.testsupport.guarantees;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;

/**
 * What was there to be processed: all records of the source topics, as they are in Kafka. Read anew by each check, into a
 * temporary table, so that a run of millions needs no memory.
 */
public final class SourceRecords {
    private static final String TABLE = "CREATE TEMPORARY TABLE source_records"
            + " (topic text, partition int, record_offset bigint, message_id text COLLATE \"C\", record_key bytea)"
            + " ON COMMIT DROP";
    private static final int FLUSH_AT = 64 * 1024;

    private final ObservedConsumer consumer;
    private final List<String> topics;
    private final Function<ConsumerRecord<byte[], byte[]>, @Nullable String> messageId;

    private SourceRecords(
            ObservedConsumer consumer,
            List<String> topics,
            Function<ConsumerRecord<byte[], byte[]>, @Nullable String> messageId) {
        this.consumer = consumer;
        this.topics = List.copyOf(topics);
        this.messageId = messageId;
    }

    /**
     * All records of these topics.
     *
     * @param messageId the message id of a record, read independently of the runtime; {@code null} where it has none
     */
    public static SourceRecords of(
            ObservedConsumer consumer,
            List<String> topics,
            Function<ConsumerRecord<byte[], byte[]>, @Nullable String> messageId) {
        return new SourceRecords(consumer, topics, messageId);
    }

    /** As {@link #of}, with the message id in a header: the runtime's default is {@code message-id}. */
    public static SourceRecords withIdHeader(ObservedConsumer consumer, List<String> topics, String header) {
        return of(consumer, topics, record -> {
            Header id = record.headers().lastHeader(header);
            return id == null || id.value() == null ? null : new String(id.value(), StandardCharsets.UTF_8);
        });
    }

    List<String> topics() {
        return topics;
    }

    /** Fills the temporary table {@code source_records}. */
    void load(Queries database) {
        database.execute(TABLE);
        try {
            CopyIn copy = database.connection()
                    .unwrap(PGConnection.class)
                    .getCopyAPI()
                    .copyIn("COPY source_records FROM STDIN");
            try {
                StringBuilder lines = new StringBuilder();
                new TopicScan(consumer).read(topics, record -> {
                    append(lines, record);
                    if (lines.length() >= FLUSH_AT) {
                        write(copy, lines);
                    }
                });
                write(copy, lines);
                copy.endCopy();
            } finally {
                if (copy.isActive()) {
                    copy.cancelCopy();
                }
            }
        } catch (SQLException e) {
            throw Queries.failed("COPY source_records", e);
        }
        database.execute("CREATE INDEX ON source_records (topic, partition, record_offset)");
        database.execute("ANALYZE source_records");
    }

    private void append(StringBuilder lines, ConsumerRecord<byte[], byte[]> record) {
        lines.append(record.topic()).append('\t');
        lines.append(record.partition()).append('\t').append(record.offset()).append('\t');
        lines.append(escaped(messageId.apply(record))).append('\t');
        lines.append(record.key() == null ? "\\N" : "\\\\x" + HexFormat.of().formatHex(record.key()));
        lines.append('\n');
    }

    /** As COPY wants text. A NUL, which PostgreSQL does not take, is in no id that was ever claimed. */
    private static String escaped(@Nullable String text) {
        return text == null
                ? "\\N"
                : text.replace("\u0000", "\uFFFD")
                        .replace("\\", "\\\\")
                        .replace("\t", "\\t")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r");
    }

    private static void write(CopyIn copy, StringBuilder lines) {
        byte[] bytes = lines.toString().getBytes(StandardCharsets.UTF_8);
        lines.setLength(0);
        try {
            copy.writeToCopy(bytes, 0, bytes.length);
        } catch (SQLException e) {
            throw Queries.failed("COPY source_records", e);
        }
    }
}
