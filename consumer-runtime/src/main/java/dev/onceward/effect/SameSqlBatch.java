package dev.onceward.effect;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Updates of one SQL text, as a JDBC batch: one statement prepared on the server however many they are. A round trip
 * for every 256 of them: the driver reads answers in between, so that neither side blocks on a full buffer.
 */
record SameSqlBatch(List<DeclaredUpdate> updates) implements Chunk {

    /** More would bring thousands separators into the number that the driver names in its message. */
    static final int MOST = 1_000;

    private static final Pattern NUMBER = Pattern.compile("\\d+");

    @Override
    public void send(Connection connection) throws DeclaredUpdateException {
        long[] rows;
        try (PreparedStatement statement =
                connection.prepareStatement(updates.get(0).sql())) {
            for (DeclaredUpdate update : updates) {
                Chunk.bind(statement, 1, update);
                statement.addBatch();
            }
            rows = statement.executeLargeBatch();
        } catch (BatchUpdateException e) {
            throw failedEntry(e);
        } catch (SQLException e) {
            throw failed(e);
        }
        for (int i = 0; i < rows.length; i++) {
            Chunk.checkRows(updates.get(i), rows[i]);
        }
    }

    /**
     * Inside a transaction pgjdbc marks every entry of a failed batch as failed, and says which one it was only in its
     * message. That number is good enough to decide which message to try alone first: if it were wrong, the message would
     * succeed alone, and the culprit be found among the others.
     */
    private DeclaredUpdateException failedEntry(BatchUpdateException e) {
        // The server's own error: the driver's would carry the arguments in its message.
        SQLException error = e.getCause() instanceof SQLException cause ? cause : e;
        Matcher entry = NUMBER.matcher(String.valueOf(e.getMessage()));
        if (entry.find() && entry.group().length() < 4 && Integer.parseInt(entry.group()) < updates.size()) {
            int member = updates.get(Integer.parseInt(entry.group())).member();
            return new DeclaredUpdateException(OptionalInt.of(member), error);
        }
        return failed(error);
    }
}
