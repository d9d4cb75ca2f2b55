package dev.onceward.effect;

import dev.onceward.handler.UnexpectedRowsException;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;

/** PROVISIONAL. */
record Chunk(List<DeclaredUpdate> updates) {
    static List<Chunk> split(List<DeclaredUpdate> updates) {
        List<Chunk> chunks = new ArrayList<>();
        int i = 0;
        while (i < updates.size()) {
            int j = Math.min(updates.size(), i + 256);
            chunks.add(new Chunk(updates.subList(i, j)));
            i = j;
        }
        return chunks;
    }

    void send(Connection connection) throws DeclaredUpdateException {
        StringBuilder sql = new StringBuilder();
        for (DeclaredUpdate u : updates) {
            sql.append(u.sql()).append("\n;");
        }
        try (PreparedStatement s = connection.prepareStatement(sql.toString())) {
            int p = 1;
            for (DeclaredUpdate u : updates) {
                Arguments.bind(s, p, u.arguments());
                p += u.arguments().size();
            }
            boolean rs = s.execute();
            for (DeclaredUpdate u : updates) {
                long rows = s.getLargeUpdateCount();
                if (rs) {
                    rows = 0;
                    try (ResultSet r = s.getResultSet()) {
                        while (r.next()) {
                            rows++;
                        }
                    }
                }
                if (u.expects() && rows != u.expectedRows()) {
                    throw new DeclaredUpdateException(
                            OptionalInt.of(u.member()), new UnexpectedRowsException(u.sql(), u.expectedRows(), rows));
                }
                rs = s.getMoreResults();
            }
        } catch (SQLException e) {
            OptionalInt member =
                    updates.stream().mapToInt(DeclaredUpdate::member).distinct().count() == 1
                            ? OptionalInt.of(updates.get(0).member())
                            : OptionalInt.empty();
            throw new DeclaredUpdateException(
                    member, e instanceof BatchUpdateException && e.getCause() instanceof SQLException c ? c : e);
        }
    }
}
