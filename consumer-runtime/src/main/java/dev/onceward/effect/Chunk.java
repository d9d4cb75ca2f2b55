package dev.onceward.effect;

import dev.onceward.handler.UnexpectedRowsException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalInt;

/** Declared updates that go to the server together. */
sealed interface Chunk permits SameSqlBatch, MixedSequence {

    /** In the order declared, not empty. */
    List<DeclaredUpdate> updates();

    /**
     * Sends them and checks how many rows they touched.
     *
     * @throws DeclaredUpdateException one failed; the transaction must be rolled back
     */
    void send(Connection connection) throws DeclaredUpdateException;

    /** Checks the number of rows one of them touched. */
    static void checkRows(DeclaredUpdate update, long rows) throws DeclaredUpdateException {
        if (update.expects() && rows != update.expectedRows()) {
            throw new DeclaredUpdateException(
                    OptionalInt.of(update.member()),
                    new UnexpectedRowsException(update.sql(), update.expectedRows(), rows));
        }
    }

    /** For an error that the driver does not ascribe to one of them. */
    default DeclaredUpdateException failed(SQLException error) {
        boolean ofOneMember =
                updates().stream().mapToInt(DeclaredUpdate::member).distinct().count() == 1;
        return new DeclaredUpdateException(
                ofOneMember ? OptionalInt.of(updates().get(0).member()) : OptionalInt.empty(), error);
    }

    /** Binds an update's arguments; what goes wrong here is this update's own fault. */
    static void bind(PreparedStatement statement, int from, DeclaredUpdate update) throws DeclaredUpdateException {
        try {
            Arguments.bind(statement, from, update.arguments());
        } catch (SQLException e) {
            throw new DeclaredUpdateException(OptionalInt.of(update.member()), e);
        }
    }
}
