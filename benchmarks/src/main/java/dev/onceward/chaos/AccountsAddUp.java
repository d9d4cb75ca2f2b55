package dev.onceward.chaos;

import dev.onceward.testsupport.guarantees.Finding;
import dev.onceward.testsupport.guarantees.Guarantee;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** Whether all of an effect is there: a message enters a row, and counts it in its account. */
record AccountsAddUp(DataSource database) implements Guarantee {
    private static final String ACCOUNTS = "SELECT account, a.entries, coalesce(e.entries, 0) FROM accounts a"
            + " LEFT JOIN (SELECT account, count(*) AS entries FROM entries GROUP BY account) e USING (account)";

    @Override
    public Finding check() {
        long checked = 0;
        List<String> violations = new ArrayList<>();
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(ACCOUNTS)) {
            while (row.next()) {
                checked++;
                if (row.getLong(2) != row.getLong(3)) {
                    violations.add(
                            row.getString(1) + " counts " + row.getLong(2) + " entries and has " + row.getLong(3));
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The accounts cannot be read", e);
        }
        return new Finding("AccountsAddUp", checked, violations.size(), violations);
    }
}
