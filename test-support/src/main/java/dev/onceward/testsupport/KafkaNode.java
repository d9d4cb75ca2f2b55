package dev.onceward.testsupport;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;

/** The broker itself, in this JVM: what the in-process server and the child process share. */
final class KafkaNode implements AutoCloseable {

    private final KafkaRaftServer server;

    private KafkaNode(KafkaRaftServer server) {
        this.server = server;
    }

    /** An id for a cluster of one's own. */
    static String newClusterId() {
        return Uuid.randomUuid().toString();
    }

    /** Writes the settings to a file and prepares the data directory named in them, for the only broker of a cluster. */
    static Path format(Path directory, Map<String, String> settings) {
        return format(directory, settings, newClusterId());
    }

    /** The same for one of several brokers. */
    static Path format(Path directory, Map<String, String> settings, String clusterId) {
        Path file = settingsFile(directory);
        Properties properties = new Properties();
        properties.putAll(settings);
        try (Writer writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        } catch (IOException e) {
            throw new BackendException("Could not write " + file + ": " + e, e);
        }
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        try {
            int exitCode = StorageTool.execute(
                    new String[] {"format", "--cluster-id", clusterId, "--config", file.toString()},
                    new PrintStream(output, true, StandardCharsets.UTF_8));
            if (exitCode != 0) {
                throw new BackendException("Kafka refuses its settings:\n" + output.toString(StandardCharsets.UTF_8));
            }
        } catch (KafkaException | IllegalArgumentException e) {
            throw new BackendException("Kafka refuses its settings: " + e.getMessage(), e);
        }
        return file;
    }

    static Path settingsFile(Path directory) {
        return directory.resolve("server.properties");
    }

    /** Starts the broker and returns when it serves clients. */
    static KafkaNode start(Path settingsFile) throws IOException {
        Properties properties = new Properties();
        try (var reader = Files.newBufferedReader(settingsFile)) {
            properties.load(reader);
        }
        KafkaRaftServer server = new KafkaRaftServer(new KafkaConfig(properties), Time.SYSTEM);
        server.startup();
        return new KafkaNode(server);
    }

    void awaitEnd() {
        server.awaitShutdown();
    }

    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
    }
}
