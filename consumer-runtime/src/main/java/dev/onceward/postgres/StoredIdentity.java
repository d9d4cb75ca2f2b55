package dev.onceward.postgres;

import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Reads a {@link RecordIdentity} from columns that begin with offset, topic id, timestamp, payload hash. */
public final class StoredIdentity {
    private StoredIdentity() {}

    public static RecordIdentity read(ResultSet row, String topic, int partition) throws SQLException {
        return new RecordIdentity(
                new Coordinates(topic, partition, row.getLong(1)),
                row.getObject(2, UUID.class),
                row.getLong(3),
                row.getLong(4));
    }
}
