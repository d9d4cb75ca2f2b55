package dev.onceward.effect;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.postgresql.PGStatement;

/**
 * Updates of several SQL texts, as one text of many statements in one {@code execute}: one round trip. (A JDBC batch of
 * such a text is what pgjdbc 42.7 cannot do.)
 *
 * @param updates at most {@link SendPlan#MOST_STATEMENTS}: the driver breaks more into several round trips
 * @param recurring whether the same sequence is to be expected again: then the driver may prepare its statements on the
 *     server, which more than halves the work but costs the server about 14 kB for each statement of the text
 */
record MixedSequence(List<DeclaredUpdate> updates, boolean recurring) implements Chunk {

    @Override
    public void send(Connection connection) throws DeclaredUpdateException {
        try (PreparedStatement statement = connection.prepareStatement(text())) {
            if (!recurring && statement.isWrapperFor(PGStatement.class)) {
                statement.unwrap(PGStatement.class).setPrepareThreshold(0);
            }
            int placeholder = 1;
            for (DeclaredUpdate update : updates) {
                Chunk.bind(statement, placeholder, update);
                placeholder += update.arguments().size();
            }
            boolean hasRows = statement.execute();
            for (DeclaredUpdate update : updates) {
                Chunk.checkRows(update, hasRows ? returned(statement) : statement.getLargeUpdateCount());
                hasRows = statement.getMoreResults();
            }
        } catch (SQLException e) {
            throw failed(e);
        }
    }

    /** The semicolons stand on lines of their own: a text may end in a comment. */
    private String text() {
        StringBuilder text = new StringBuilder();
        for (DeclaredUpdate update : updates) {
            text.append(update.sql()).append("\n;\n");
        }
        return text.toString();
    }

    /** A statement with RETURNING, or a function called by SELECT: the rows that it gives count. */
    private static long returned(PreparedStatement statement) throws SQLException {
        long rows = 0;
        try (ResultSet result = statement.getResultSet()) {
            while (result.next()) {
                rows++;
            }
        }
        return rows;
    }
}
