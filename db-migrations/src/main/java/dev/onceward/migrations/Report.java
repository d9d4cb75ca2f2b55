package dev.onceward.migrations;

import dev.onceward.migrations.SchemaVersionException.Problem;
import java.sql.Connection;
import java.sql.SQLException;

/** Words the exceptions of {@link SchemaVersion}: where, what is there, what is needed, what to run. */
final class Report {
    private final SchemaName schema;
    private final String url;
    private final String user;

    Report(SchemaName schema, Connection connection) throws SQLException {
        this.schema = schema;
        this.url = withoutParameters(connection.getMetaData().getURL());
        this.user = connection.getMetaData().getUserName();
    }

    SchemaVersionException migrate(Problem problem, String found) {
        return new SchemaVersionException(
                problem,
                where() + " is not ready: " + found + ". " + needed()
                        + " Apply the migrations, with a role that may create" + " tables: " + command()
                        + " (or Migrations.apply(dataSource, \"" + schema + "\") in code)");
    }

    SchemaVersionException newer(int applied) {
        String found = applied == Integer.MAX_VALUE ? "an unknown version" : "version " + applied;
        return new SchemaVersionException(
                Problem.TOO_NEW,
                where() + " is at " + found + ", migrated by a newer Onceward. " + needed()
                        + " Run this service with the"
                        + " newer Onceward; migrations are never taken back. To see what is there: " + command()
                        + " --check");
    }

    SchemaVersionException failed(String version, String description) {
        return new SchemaVersionException(
                Problem.FAILED,
                where() + " is not usable: migration " + version + " (" + description + ") began and did not end. "
                        + needed()
                        + " Find out why in the database's log, remove what the migration left and its row in "
                        + schema.qualify(SchemaVersion.HISTORY_TABLE) + ", then: " + command());
    }

    SchemaVersionException grant(String role) {
        return new SchemaVersionException(
                Problem.NOT_READABLE,
                where() + " cannot be checked: role \"" + role + "\" may not read its tables. As their owner run: GRANT"
                        + " USAGE ON SCHEMA " + schema.quoted() + " TO \"" + role + "\"; GRANT SELECT, INSERT, UPDATE,"
                        + " DELETE ON ALL TABLES IN SCHEMA " + schema.quoted() + " TO \"" + role + "\"");
    }

    private String where() {
        return "Schema \"" + schema + "\" of " + url;
    }

    private static String needed() {
        return "This version of Onceward needs schema version " + SchemaVersion.REQUIRED + ".";
    }

    private String command() {
        return "java -jar onceward-db-migrations-" + version() + "-cli.jar --db-url '" + url + "' --user '" + user
                + "' --schema " + schema;
    }

    private static String version() {
        String version = Report.class.getPackage().getImplementationVersion();
        return version == null ? "VERSION" : version;
    }

    /** Parameters of a JDBC URL may hold a password, and this text goes into logs. */
    private static String withoutParameters(String url) {
        int question = url.indexOf('?');
        return question < 0 ? url : url.substring(0, question);
    }
}
