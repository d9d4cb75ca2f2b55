package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.onceward.config.StartPosition;
import dev.onceward.deadletter.DeadLetterTable;
import dev.onceward.migrations.Migrations;
import dev.onceward.postgres.AttemptTable;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.GenerationTable;
import dev.onceward.postgres.Tables;
import dev.onceward.testsupport.Backends;
import dev.onceward.testsupport.PostgresServer;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The start position counts for a topic as a whole, when the first worker meets it, whoever gets which partition when. */
class PositionsIT {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Not so long ago that retention would delete the records in the middle of a test. */
    private final Instant first = Instant.now();

    private final String topic = "payments." + UUID.randomUUID();
    private final String bootstrap = Backends.shared().kafka().bootstrapServers();
    private final Admin admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
    private Database database;

    @BeforeEach
    void migrate() throws Exception {
        PostgresServer server = Backends.shared().postgres();
        DataSource dataSource = server.dataSource(server.createDatabase());
        Migrations.apply(dataSource, "public");
        database = new Database(dataSource, new Tables("public"), "billing", 0);
        admin.createTopics(List.of(new NewTopic(topic, 2, (short) 1))).all().get();
        send(0, 3, first);
        send(1, 4, first);
    }

    @AfterEach
    void close() {
        admin.close(LIMIT);
    }

    @Test
    void aPartitionThatIsAssignedLaterBeginsWhereItEndedWhenTheFirstBegan() throws Exception {
        assertThat(begin(StartPosition.latest(), 0)).isEqualTo(3);
        send(0, 5, first.plusSeconds(1));
        send(1, 5, first.plusSeconds(1));
        assertThat(begin(StartPosition.latest(), 1)).as("nothing from before").isEqualTo(4);
        assertThat(begin(StartPosition.latest(), 0)).isEqualTo(3);
    }

    @Test
    void aPartitionThatWasAddedLaterBeginsAtItsFirstRecord() throws Exception {
        assertThat(begin(StartPosition.at(first.plusSeconds(2)), 0)).isEqualTo(3);
        admin.createPartitions(Map.of(topic, NewPartitions.increaseTo(3))).all().get();
        send(2, 2, first.plusSeconds(1));
        assertThat(begin(StartPosition.at(first.plusSeconds(2)), 2)).isZero();
        assertThat(begin(StartPosition.at(first.plusSeconds(2)), 1)).isEqualTo(4);
    }

    private long begin(StartPosition start, int number) throws Exception {
        AttemptTable attempts = new AttemptTable(database);
        Stores stores = new Stores(
                database, attempts, new DeadLetterTable(database, attempts), new GenerationTable(database), null);
        Positions positions = new Positions(
                new KafkaCluster(admin, "group." + topic, LIMIT),
                start,
                new DatabaseOwnerships(database, stores.generations(), null, "worker"),
                LIMIT);
        OwnedPartition partition = new OwnedPartition(
                new TopicPartition(topic, number), false, Clock.systemUTC(), () -> {}, RealMachine.INSTANCE);
        return await().until(() -> positions.find(List.of(partition)), found -> found.containsKey(partition))
                .get(partition)
                .offset();
    }

    private void send(int partition, int records, Instant timestamp) throws Exception {
        try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(
                Map.of("bootstrap.servers", bootstrap), new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int i = 0; i < records; i++) {
                producer.send(new ProducerRecord<>(topic, partition, timestamp.toEpochMilli(), null, new byte[] {1}))
                        .get();
            }
        }
    }
}
