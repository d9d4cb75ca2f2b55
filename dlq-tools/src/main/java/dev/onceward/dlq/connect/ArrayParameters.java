package dev.onceward.dlq.connect;

import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Tables;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Parameters of a statement about many things at once: an array for each column, for {@code unnest}. In the order of their
 * places in the statement. For one thread.
 *
 * @param <T> what one row is made of
 */
public final class ArrayParameters<T> {
    private final Connection connection;
    private final PreparedStatement statement;
    private final List<T> rows;
    private int index = 1;

    private ArrayParameters(Connection connection, PreparedStatement statement, List<T> rows) {
        this.connection = connection;
        this.statement = statement;
        this.rows = rows;
    }

    /** Prepares a statement with the names of the tables in braces. */
    public static PreparedStatement prepare(Connections connections, String sql) throws SQLException {
        Tables tables = connections.tables();
        return connections.database().prepareStatement(tables.sql(sql));
    }

    /** Of a statement from its first parameter on. */
    public static <T> ArrayParameters<T> of(Connections connections, PreparedStatement statement, List<T> rows) {
        return of(connections.database(), statement, rows);
    }

    /** The same of a connection. */
    public static <T> ArrayParameters<T> of(Connection connection, PreparedStatement statement, List<T> rows) {
        return new ArrayParameters<>(connection, statement, rows);
    }

    /** One column; {@code type} is the type of its elements, as PostgreSQL calls it. */
    public ArrayParameters<T> column(String type, Function<T, ? extends @Nullable Object> value) throws SQLException {
        Object[] values = rows.stream().map(row -> (Object) value.apply(row)).toArray();
        if (type.equals("bytea")) {
            // The driver knows arrays of byte arrays only by their own type.
            byte[][] bytes = new byte[values.length][];
            System.arraycopy(values, 0, bytes, 0, values.length);
            values = bytes;
        }
        statement.setArray(index++, connection.createArrayOf(type, values));
        return this;
    }

    /** One column of {@code timestamptz}. */
    public ArrayParameters<T> times(Function<T, @Nullable Instant> value) throws SQLException {
        // As text, which the server reads to the microsecond.
        return column("timestamptz", row -> {
            Instant instant = value.apply(row);
            return instant == null ? null : instant.toString();
        });
    }

    /** Three columns: topic, partition, offset. */
    public ArrayParameters<T> coordinates(Function<T, Coordinates> value) throws SQLException {
        return column("text", row -> value.apply(row).topic())
                .column("int4", row -> value.apply(row).partition())
                .column("int8", row -> value.apply(row).offset());
    }

    /** One text, and no array. */
    public ArrayParameters<T> text(String value) throws SQLException {
        statement.setString(index++, value);
        return this;
    }
}
