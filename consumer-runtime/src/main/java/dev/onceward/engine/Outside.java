package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.config.KafkaClientProperties;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.deadletter.Publisher;
import dev.onceward.effect.EffectTransaction;
import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.GroupTransaction;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.failure.Classifier;
import dev.onceward.postgres.Database;
import dev.onceward.postgres.FencedTransaction;
import dev.onceward.postgres.Opening;
import dev.onceward.postgres.WorkerTable;
import java.time.Duration;
import java.util.function.Function;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/**
 * All that an engine talks to: the machine, Kafka and the database, each by the role that it has for the engine.
 *
 * @param consumer the poll thread's alone
 * @param metadata told by the consumer whenever it heard of its cluster anew
 * @param transactions makes what runs the groups of a lane, with the watch over it
 * @param probe asks whether the database is there
 * @param maintenance what has to be done now and then
 */
record Outside(
        Machine machine,
        Consumer<byte[], byte[]> consumer,
        MetadataUpdates metadata,
        Cluster cluster,
        Publisher publisher,
        Ownerships ownerships,
        FencedRecords records,
        Function<TransactionWatch, GroupTransaction> transactions,
        Presence presence,
        Sessions sessions,
        Gate.Probe probe,
        Runnable maintenance) {

    /** Real clients of real servers. The admin client stays the caller's. */
    static Outside real(EngineParts parts, DataSource dataSource, int serverVersion, Admin admin) {
        ConsumerSettings settings = parts.settings();
        KafkaClientProperties kafka = new KafkaClientProperties(settings, parts.workerId());
        Stores stores = Stores.of(settings, dataSource, serverVersion);
        Database database = stores.database();
        GroupLimits limits = parts.limits();
        Opening opening = new Opening(database, limits.transactionLimits());
        Classifier classifier = new Classifier(parts.classifier());
        DeadLetterPublisher publisher = new DeadLetterPublisher(
                () -> new KafkaProducer<>(kafka.producer()),
                topic -> settings.deadLetters().deadLetterTopic(settings.consumer(), topic),
                settings.groupId(),
                parts.clock());
        MetadataUpdates metadata = new MetadataUpdates();
        return new Outside(
                RealMachine.INSTANCE,
                consumer(kafka, metadata, publisher),
                metadata,
                new KafkaCluster(admin, settings.groupId(), Engine.ADMIN_LIMIT),
                publisher,
                new DatabaseOwnerships(
                        database,
                        stores.generations(),
                        new FactsLoader(stores.attempts(), stores.deadLetters()),
                        parts.workerId()),
                new DatabaseRecords(new FencedTransaction(database, limits.transactionLimits()), stores),
                watch -> new EffectTransaction(
                        database,
                        opening,
                        stores.afterEffects(),
                        classifier,
                        limits,
                        watch,
                        parts.jdbi(),
                        parts.clock()),
                new DatabasePresence(
                        database, workers(parts, database), settings.lease().duration()),
                new DatabaseSessions(database),
                () -> database.probe(settings.limits().lock()),
                Maintenance.of(parts, database));
    }

    /** The last thing that wrong settings can make fail: what was made before it is closed then. */
    private static Consumer<byte[], byte[]> consumer(
            KafkaClientProperties kafka, MetadataUpdates metadata, DeadLetterPublisher publisher) {
        try {
            return new KafkaConsumer<>(kafka.consumer(), new ByteArrayDeserializer(), metadata);
        } catch (RuntimeException e) {
            publisher.close(Duration.ZERO);
            throw e;
        }
    }

    private static WorkerTable workers(EngineParts parts, Database database) {
        ConsumerSettings settings = parts.settings();
        return new WorkerTable(
                database,
                new WorkerTable.Identity(parts.workerId(), settings.groupId(), parts.host(), parts.version()),
                settings.lease().duration());
    }
}
