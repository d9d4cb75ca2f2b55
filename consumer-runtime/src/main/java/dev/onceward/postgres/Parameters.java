package dev.onceward.postgres;

import dev.onceward.message.RecordIdentity;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Collection;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Sets the parameters of a statement in the order they stand in it. */
public final class Parameters {
    private final Connection connection;
    private final PreparedStatement statement;
    private int index;

    public Parameters(Connection connection, PreparedStatement statement) {
        this.connection = connection;
        this.statement = statement;
    }

    public Parameters text(@Nullable String value) throws SQLException {
        statement.setString(++index, value);
        return this;
    }

    /** A number where the server wants text, as {@code set_config} does. */
    Parameters text(long value) throws SQLException {
        return text(Long.toString(value));
    }

    public Parameters number(int value) throws SQLException {
        statement.setInt(++index, value);
        return this;
    }

    public Parameters number(long value) throws SQLException {
        statement.setLong(++index, value);
        return this;
    }

    Parameters flag(boolean value) throws SQLException {
        statement.setBoolean(++index, value);
        return this;
    }

    public Parameters bytes(byte @Nullable [] value) throws SQLException {
        statement.setBytes(++index, value);
        return this;
    }

    /** Topic, partition and offset: how a record is found. */
    public Parameters coordinates(RecordIdentity record) throws SQLException {
        return text(record.coordinates().topic())
                .number(record.coordinates().partition())
                .number(record.coordinates().offset());
    }

    public Parameters uuid(UUID value) throws SQLException {
        statement.setObject(++index, value);
        return this;
    }

    public Parameters instant(Instant value) throws SQLException {
        statement.setObject(++index, value.atOffset(ZoneOffset.UTC));
        return this;
    }

    /** Three arrays: topics, partitions, lowest offsets. */
    public Parameters unfinished(Collection<Unfinished> partitions) throws SQLException {
        return array("text", partitions.stream().map(Unfinished::topic).toArray())
                .array("int4", partitions.stream().map(Unfinished::partition).toArray())
                .array("int8", partitions.stream().map(Unfinished::lowest).toArray());
    }

    public Parameters array(String type, Object[] values) throws SQLException {
        statement.setArray(++index, connection.createArrayOf(type, values));
        return this;
    }
}
