package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Path;
import java.util.function.IntUnaryOperator;
import org.apache.kafka.common.KafkaException;

/**
 * A Kafka broker in this JVM, on 127.0.0.1: starts faster and takes less memory than {@link ChildKafka}, but cannot be killed
 * or frozen on its own.
 */
public final class InProcessKafka implements KafkaServer {

    private static final int PORT_ATTEMPTS = 3;

    private final Path directory;
    private final GuardedProcess cleaner;
    private final KafkaNode node;
    private final String bootstrapServers;
    private boolean closed;

    private InProcessKafka(Path directory, KafkaNode node, int port) {
        this.directory = directory;
        this.cleaner = GuardedProcess.cleaner(directory);
        this.node = node;
        this.bootstrapServers = KafkaNodeSettings.HOST + ":" + port;
    }

    /** Starts a broker with {@link KafkaOptions#defaults()}. */
    public static InProcessKafka start() {
        return start(KafkaOptions.defaults());
    }

    /**
     * Starts a new, empty broker and waits until it serves clients.
     *
     * @throws BackendException if it cannot be started, for example because of a wrong setting
     */
    public static InProcessKafka start(KafkaOptions options) {
        return start(options, port -> port);
    }

    /**
     * As {@link #start(KafkaOptions)}, behind a proxy.
     *
     * @param advertised from the port on which the broker listens to the one that clients are told: that of a proxy, which
     *     may be started here
     */
    public static InProcessKafka start(KafkaOptions options, IntUnaryOperator advertised) {
        for (int attempt = 1; ; attempt++) {
            Path directory = WorkDirectory.create("kafka");
            try {
                return start(options, advertised, directory);
            } catch (IOException | KafkaException e) {
                WorkDirectory.delete(directory);
                // Another JVM may have taken a port since it was found free.
                if (attempt == PORT_ATTEMPTS || !String.valueOf(e.getMessage()).contains("bind")) {
                    throw new BackendException("Kafka did not start: " + e.getMessage(), e);
                }
            } catch (RuntimeException e) {
                WorkDirectory.delete(directory);
                throw e;
            }
        }
    }

    private static InProcessKafka start(KafkaOptions options, IntUnaryOperator advertised, Path directory)
            throws IOException {
        int port = FreePorts.next();
        int told = advertised.applyAsInt(port);
        Path settings =
                KafkaNode.format(directory, KafkaNodeSettings.of(options, directory, port, told, FreePorts.next()));
        return new InProcessKafka(directory, KafkaNode.start(settings), told);
    }

    @Override
    public String bootstrapServers() {
        return bootstrapServers;
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        node.close();
        cleaner.kill();
        WorkDirectory.delete(directory);
    }
}
