package dev.onceward.dlq.connect;

import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Secrets;
import dev.onceward.migrations.SchemaName;
import dev.onceward.migrations.SchemaVersion;
import dev.onceward.migrations.SchemaVersionException;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeClusterOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.BrokerNotAvailableException;
import org.apache.kafka.common.errors.DisconnectException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.NetworkException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/**
 * What a command is connected to. Everything is opened when it is first asked for, so that a command which needs only
 * the database works while Kafka is down; everything is closed by {@link #close}. For one thread.
 */
public final class Connections implements AutoCloseable {
    private static final Duration KAFKA_TIMEOUT = Duration.ofSeconds(30);

    private final GivenSettings given;
    private final Secrets secrets;
    private final SchemaName schema;
    private final OpenClients open = new OpenClients();
    private @Nullable Databases databases;
    private @Nullable KafkaProperties kafka;
    private @Nullable Connection database;
    private @Nullable Admin admin;

    Connections(GivenSettings given, Secrets secrets) {
        this.given = given;
        this.secrets = secrets;
        try {
            this.schema = new SchemaName(given.find(SettingNames.SCHEMA).orElse("public"));
        } catch (IllegalArgumentException e) {
            throw new UsageException("--schema: " + e.getMessage());
        }
    }

    /** Of Onceward's tables. */
    public String schema() {
        return schema.value();
    }

    /** Onceward's tables, for SQL. */
    public Tables tables() {
        return new Tables(schema());
    }

    /** The consumer asked for, if one was. */
    public Optional<String> consumer() {
        return given.find(SettingNames.CONSUMER);
    }

    /** Kafka's address, for messages. */
    public String kafkaAddress() {
        return kafka().address();
    }

    /** The database's address, for messages; without user and password. */
    public String databaseAddress() {
        return databases().address();
    }

    /**
     * The connection for this command's statements, always the same, committing each statement by itself.
     *
     * @throws CannotConnectException the database cannot be reached, or has not the tables of this version
     * @throws UsageException its address is not known
     */
    public Connection database() {
        if (database == null) {
            database = newDatabase();
            checkSchema();
        }
        return database;
    }

    /** Another connection, without a look at the tables. Closed with this object if not before. */
    public Connection newDatabase() {
        return open.add(databases().open());
    }

    /** For topics, offsets and groups; known to be connected. Always the same. */
    public Admin admin() {
        if (admin == null) {
            Admin created = open.add(client(() -> Admin.create(kafka().forAdmin())));
            DescribeClusterOptions soon = new DescribeClusterOptions().timeoutMs(kafka().firstContactMillis());
            await(created.describeCluster(soon).clusterId());
            admin = created;
        }
        return admin;
    }

    /**
     * A new consumer of raw records, in no group, at no position; reads only what was committed. Closed with this object
     * if not before.
     */
    public Consumer<byte[], byte[]> newConsumer() {
        return client(() -> open.consumer(kafka().forConsumer()));
    }

    /** A new producer of raw records, idempotent, with acks=all. Closed with this object if not before. */
    public Producer<byte[], byte[]> newProducer() {
        return client(() -> open.producer(kafka().forProducer()));
    }

    /**
     * Waits for an answer of Kafka's.
     *
     * @throws CannotConnectException there is none, or we may not connect
     * @throws KafkaException what Kafka answered instead
     */
    public <T> T await(KafkaFuture<T> future) {
        try {
            return future.get(KAFKA_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new org.apache.kafka.common.errors.InterruptException(e);
        } catch (TimeoutException e) {
            throw cannotReachKafka("no answer within " + KAFKA_TIMEOUT.toSeconds() + " s", e);
        } catch (ExecutionException e) {
            throw kafkaFailure(e.getCause() == null ? e : e.getCause());
        }
    }

    /** What to throw for a failure of a Kafka client: {@link CannotConnectException} if that is what it means. */
    public RuntimeException kafkaFailure(Throwable failure) {
        if (isConnection(failure)) {
            return cannotReachKafka(KafkaCauses.of(failure), failure);
        }
        return failure instanceof RuntimeException runtime ? runtime : new KafkaException(failure);
    }

    /** Whether a failure of a Kafka client says that Kafka is away, or does not let us in. */
    public static boolean isConnection(Throwable failure) {
        return failure instanceof org.apache.kafka.common.errors.TimeoutException
                || failure instanceof NetworkException
                || failure instanceof BrokerNotAvailableException
                || failure instanceof AuthenticationException
                || failure instanceof DisconnectException;
    }

    /** Whether a failure of a producer is the fault of the record: no broker will ever take it. */
    public static boolean isTheRecord(@Nullable Throwable failure) {
        return failure instanceof RecordTooLargeException
                || failure instanceof RecordBatchTooLargeException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException;
    }

    /** Closes all that was opened; what cannot be closed is left, since the process ends anyway. */
    @Override
    public void close() {
        open.close();
    }

    private Databases databases() {
        if (databases == null) {
            databases = new Databases(given, secrets);
        }
        return databases;
    }

    private KafkaProperties kafka() {
        if (kafka == null) {
            kafka = new KafkaProperties(given, secrets);
        }
        return kafka;
    }

    private void checkSchema() {
        try {
            SchemaVersion.verify(databases(), schema());
        } catch (SchemaVersionException e) {
            forgotten(e);
            throw new CannotConnectException(
                    databaseAddress() + ": " + secrets.hide(String.valueOf(e.getMessage())), e);
        } catch (SQLException e) {
            throw databases().failure(e);
        }
    }

    /** Whoever forgets to name the schema is not to migrate another one. */
    private void forgotten(SchemaVersionException why) {
        if (why.problem() != SchemaVersionException.Problem.SCHEMA_MISSING
                && why.problem() != SchemaVersionException.Problem.TABLES_MISSING) {
            return;
        }
        List<String> others;
        try {
            others = databases().schemas();
        } catch (SQLException e) {
            return; // what was found first is told
        }
        if (!others.isEmpty()) {
            throw new CannotConnectException(
                    databaseAddress() + ": the schema " + schema() + " has no tables of Onceward; there are in: "
                            + String.join(", ", others) + ". Give --schema "
                            + (others.size() == 1 ? others.get(0) : "with the one that the workers use"),
                    why);
        }
    }

    private <T> T client(java.util.function.Supplier<T> constructor) {
        try {
            return constructor.get();
        } catch (KafkaException e) {
            throw cannotReachKafka(KafkaCauses.of(e), e);
        }
    }

    private CannotConnectException cannotReachKafka(String why, Throwable cause) {
        return new CannotConnectException(
                "Cannot connect to Kafka at " + kafkaAddress() + ": " + secrets.hide(why)
                        + ". Look at --bootstrap-server and --command-config",
                cause);
    }
}
