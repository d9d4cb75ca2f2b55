package dev.onceward.postgres;

import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.UUID;

/** Reads a {@link RecordIdentity} from columns that begin with {@link #COLUMNS}. */
public final class StoredIdentity {
    /** Six columns. */
    public static final String COLUMNS = "topic, partition, record_offset, topic_id, record_timestamp, payload_hash";

    private StoredIdentity() {}

    public static RecordIdentity read(ResultSet row) throws SQLException {
        return new RecordIdentity(
                new Coordinates(row.getString(1), row.getInt(2), row.getLong(3)),
                row.getObject(4, UUID.class),
                row.getLong(5),
                row.getLong(6));
    }
}
