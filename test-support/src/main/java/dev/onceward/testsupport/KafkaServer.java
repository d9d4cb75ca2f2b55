package dev.onceward.testsupport;

/** A running Kafka cluster that tests may use. Tests stay apart by names of topics and groups of their own. */
public interface KafkaServer extends AutoCloseable {

    /** {@code host:port} pairs, as Kafka clients expect them in {@code bootstrap.servers}. The same for the server's whole life. */
    String bootstrapServers();

    /** Ends the server where this object started it, and removes its data. Does nothing the second time. */
    @Override
    void close();
}
