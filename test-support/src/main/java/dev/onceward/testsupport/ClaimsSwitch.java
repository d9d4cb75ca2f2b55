package dev.onceward.testsupport;

import dev.onceward.migrations.SchemaName;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * Switches the claims of a database off, for the control of a test: does it see doubled effects where nothing prevents them?
 * A trigger removes each claim in the statement that makes it, so that every delivery of a message is a first one. The
 * runtime itself has no such switch.
 */
public final class ClaimsSwitch {

    private static final String OFF = """
            CREATE OR REPLACE FUNCTION %1$s.onceward_no_claims() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN
              DELETE FROM %1$s.processed_messages AS claim USING made
               WHERE claim.consumer_name = made.consumer_name AND claim.message_id = made.message_id;
              RETURN NULL;
            END $$;
            DROP TRIGGER IF EXISTS onceward_no_claims ON %1$s.processed_messages;
            CREATE TRIGGER onceward_no_claims AFTER INSERT ON %1$s.processed_messages
              REFERENCING NEW TABLE AS made FOR EACH STATEMENT EXECUTE FUNCTION %1$s.onceward_no_claims();
            """;

    private static final String ON = """
            DROP TRIGGER IF EXISTS onceward_no_claims ON %1$s.processed_messages;
            DROP FUNCTION IF EXISTS %1$s.onceward_no_claims();
            """;

    private ClaimsSwitch() {}

    /**
     * From now on no claim stays, whoever makes it.
     *
     * @param schema the schema of the tables of Onceward, which must be there
     * @throws SQLException if the tables are not there, or the role does not own them
     */
    public static void off(DataSource dataSource, String schema) throws SQLException {
        execute(dataSource, OFF, schema);
    }

    /** Claims stay again; those made in between are not brought back. */
    public static void on(DataSource dataSource, String schema) throws SQLException {
        execute(dataSource, ON, schema);
    }

    private static void execute(DataSource dataSource, String sql, String schema) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(String.format(sql, new SchemaName(schema).quoted()));
        }
    }
}
