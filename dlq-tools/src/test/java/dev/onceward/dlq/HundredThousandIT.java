package dev.onceward.dlq;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.HeaderNames;
import dev.onceward.message.PayloadHash;
import dev.onceward.testsupport.JavaProcess;
import dev.onceward.testsupport.ProcessControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A hundred thousand dead letters, and nine times as many that are resolved, in 128 MB of heap. Prints how long it took;
 * that is asserted nowhere.
 */
@Tag("soak")
@Timeout(value = 15, unit = TimeUnit.MINUTES)
class HundredThousandIT {
    private static final int LETTERS = 100_000;
    private static final int PARTITIONS = 2;
    private static final int PER_PARTITION = LETTERS / PARTITIONS;
    private static final int RESOLVED = 9 * LETTERS;

    private final Payments payments = new Payments(PARTITIONS);

    @TempDir
    private Path directory;

    @AfterEach
    void close() {
        payments.close();
    }

    @Test
    void areListedTakenOutPutBackAndReplayed() throws SQLException, IOException {
        fill();
        fillWithResolved();

        List<String> listed = timed("list", "list");
        assertThat(listed).hasSize(101);
        List<String> all = timed("list --limit 0 -o jsonl", "list", "--limit", "0", "-o", "jsonl");
        assertThat(all).hasSize(LETTERS);
        assertThat(timed("stats", "stats")).contains("100,000 dead letters");
        String origin = payments.topic + "/1/4711";
        assertThat(timed("show NAME", "show", origin)).anyMatch(line -> line.matches("origin +" + origin));
        assertThat(timed("show ID", "show", "m1-4711")).anyMatch(line -> line.matches("origin +" + origin));
        assertThat(timed("show ID, resolved", "show", "r4711")).anyMatch(line -> line.matches("status +RESOLVED"));
        exportAndImport();
        List<String> replayed = timed("replay --all", "replay", "--all", "--yes");

        assertThat(replayed).anyMatch(line -> line.startsWith("100,000 messages sent to"));
        assertThat(payments.count("SELECT count(*) FROM dead_letters WHERE status = 'REPLAYED'"))
                .isEqualTo(LETTERS);
        assertThat(payments.records(payments.replayTopic)).hasSize(LETTERS);
    }

    private void exportAndImport() throws IOException {
        String file = directory.resolve("letters").toString();
        timed("export --all --status dead", "export", "--all", "--status", "dead", "--file", file);
        assertThat(Files.size(Path.of(file))).isGreaterThan(LETTERS * 1_000L);
        List<String> needless = timed("import, all there", "import", "--file", file, "--yes");
        assertThat(needless).anyMatch(line -> line.matches("100,000 +there already"));
        Map<TopicPartition, RecordsToDelete> all = new HashMap<>();
        for (int partition = 0; partition < PARTITIONS; partition++) {
            all.put(new TopicPartition(payments.deadLetterTopic, partition), RecordsToDelete.beforeOffset(-1));
        }
        payments.admin()
                .deleteRecords(all)
                .all()
                .toCompletionStage()
                .toCompletableFuture()
                .join();
        payments.execute("DELETE FROM dead_letters WHERE status = 'DEAD' AND origin_partition = 1");
        List<String> imported = timed("import, all gone", "import", "--file", file, "--yes");
        assertThat(imported)
                .anyMatch(line -> line.matches(" *50,000 +payload put back"))
                .anyMatch(line -> line.matches(" *50,000 +added as TOO_OLD"));
        // For the rest of this test: they would not be replayed.
        payments.execute("UPDATE dead_letters SET reason = 'PERMANENT' WHERE status = 'DEAD'");
        payments.execute("VACUUM ANALYZE dead_letters");
    }

    private List<String> timed(String what, String... arguments) {
        List<String> out = Collections.synchronizedList(new ArrayList<>());
        JavaProcess process = ProcessControl.java(DlqMain.class)
                .named("dlq")
                .jvmOptions("-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")
                .arguments(arguments)
                .onOutput(out::add);
        payments.environment().forEach(process::environment);
        long started = System.nanoTime();
        try (ProcessControl command = process.start()) {
            assertThat(command.awaitExit(Duration.ofMinutes(5))).isZero();
        }
        System.out.println(what + ": " + Duration.ofNanos(System.nanoTime() - started));
        return out;
    }

    /** As if a worker had given them up: lanes publish side by side, so the order is that of the origin only roughly. */
    private void fill() throws SQLException {
        payments.execute("INSERT INTO consumers (consumer_name, group_id, replay_topic) VALUES ('" + payments.name
                + "', '" + payments.name + "', '" + payments.replayTopic + "')");
        payments.execute("INSERT INTO partition_generations (consumer_name, topic, partition, topic_id) VALUES ('"
                + payments.name + "', '" + payments.topic + "', 0, gen_random_uuid())");
        UUID topicId = UUID.randomUUID();
        try (Connection connection = payments.dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                                + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset,"
                                + " origin_timestamp, message_id, record_key, status, dlt_topic, dlt_partition,"
                                + " dlt_offset, reason, error_class, error_message, error_stacktrace, attempts,"
                                + " first_failed_at, failed_at, dead_at, worker_id, generation) VALUES (?, ?, ?, ?, ?,"
                                + " 1, ?, ?, ?, ?, 1, ?, ?, 'DEAD', ?, ?, ?, 'PERMANENT', 'java.lang.Exception', 'no', ?,"
                                + " 1, now(), now(), clock_timestamp(), 'w', 1)")) {
            connection.setAutoCommit(false);
            String stacktrace = "at dev.example.Handler.handle(Handler.java:17)\n".repeat(40);
            for (int partition = 0; partition < PARTITIONS; partition++) {
                for (int i = 0; i < PER_PARTITION; i++) {
                    int offset = i ^ 5; // eight lanes, a little out of step
                    byte[] value =
                            ("{\"payment\":" + offset + ",\"text\":\"" + "x".repeat(300) + "\"}").getBytes(UTF_8);
                    byte[] key = ("account-" + offset % 1_000).getBytes(UTF_8);
                    publish(partition, offset, key, value);
                    insert.setString(1, payments.name);
                    insert.setString(2, payments.topic);
                    insert.setInt(3, partition);
                    insert.setLong(4, offset);
                    insert.setObject(5, topicId);
                    insert.setLong(6, PayloadHash.of(value));
                    insert.setString(7, payments.topic);
                    insert.setInt(8, partition);
                    insert.setLong(9, offset);
                    insert.setString(10, "m" + partition + "-" + offset);
                    insert.setBytes(11, key);
                    insert.setString(12, payments.deadLetterTopic);
                    insert.setInt(13, partition);
                    insert.setLong(14, i);
                    insert.setString(15, stacktrace);
                    insert.addBatch();
                    if (i % 1_000 == 999) {
                        insert.executeBatch();
                    }
                }
                insert.executeBatch();
            }
            connection.commit();
        }
        payments.flush();
        payments.execute("ANALYZE dead_letters");
    }

    /** As years leave them: of another topic, with their claims. */
    private void fillWithResolved() {
        payments.execute("INSERT INTO dead_letters (consumer_name, topic, partition, record_offset, topic_id,"
                + " record_timestamp, payload_hash, origin_topic, origin_partition, origin_offset, origin_timestamp,"
                + " message_id, record_key, status, reason, error_class, error_message, error_stacktrace, attempts,"
                + " first_failed_at, failed_at, dead_at, worker_id, generation, resolved_at)"
                + " SELECT '" + payments.name + "', 'refunds', n % 8, n, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid,"
                + " 1, n, 'refunds', n % 8, n, 1, 'r' || n, convert_to('account-' || n % 1000, 'UTF8'), 'RESOLVED',"
                + " 'PERMANENT', 'java.lang.Exception', 'no', 'at Handler.java:17', 1, at, at, at, 'w', 1, at"
                + " FROM (SELECT n, now() - n * interval '1 minute' AS at FROM generate_series(1, " + RESOLVED
                + ") AS n) x");
        payments.execute("INSERT INTO processed_messages (consumer_name, message_id, payload_hash, fence_key,"
                + " source_offset, generation) SELECT consumer_name, message_id, payload_hash, 1, record_offset, 1"
                + " FROM dead_letters WHERE status = 'RESOLVED'");
        payments.execute("VACUUM ANALYZE");
    }

    private void publish(int partition, int offset, byte[] key, byte[] value) {
        ProducerRecord<byte[], byte[]> copy = new ProducerRecord<>(payments.deadLetterTopic, partition, key, value);
        copy.headers()
                .add("message-id", ("m" + partition + "-" + offset).getBytes(UTF_8))
                .add(HeaderNames.ERRORS_TOPIC.key(), payments.topic.getBytes(UTF_8))
                .add(
                        HeaderNames.ERRORS_PARTITION.key(),
                        String.valueOf(partition).getBytes(UTF_8))
                .add(HeaderNames.ERRORS_OFFSET.key(), String.valueOf(offset).getBytes(UTF_8));
        payments.send(copy);
    }
}
