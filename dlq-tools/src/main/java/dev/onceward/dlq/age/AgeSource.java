package dev.onceward.dlq.age;

import dev.onceward.dlq.connect.Connections;
import java.sql.SQLException;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads ages again and again: over the same connections as long as they work, over new ones after a failure. Thread-safe.
 */
public final class AgeSource implements AutoCloseable {
    private final Supplier<Connections> opener;
    private @Nullable Connections connections;
    private @Nullable AgeReader reader;

    /** Connects when it is first read. */
    public AgeSource(Supplier<Connections> opener) {
        this.opener = opener;
    }

    /** As {@link AgeReader#read}. */
    public synchronized List<PartitionAge> read() throws SQLException {
        try {
            AgeReader current = reader;
            if (current == null) {
                connections = opener.get();
                current = new AgeReader(connections);
                reader = current;
            }
            return current.read();
        } catch (SQLException | RuntimeException e) {
            close();
            throw e;
        }
    }

    @Override
    public synchronized void close() {
        if (connections != null) {
            connections.close();
        }
        connections = null;
        reader = null;
    }
}
