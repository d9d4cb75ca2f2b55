package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class MigrateMainIT {
    private final TestDatabase database = TestDatabase.create();
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void migratesThenChecks() {
        assertThat(run("--db-url", database.url(), "--user", "postgres")).isEqualTo(MigrateMain.OK);
        assertThat(out).hasToString("Schema \"public\" is at version 3: 3 applied now.\n");

        out.getBuffer().setLength(0);
        assertThat(run("--db-url", database.url(), "--user", "postgres")).isEqualTo(MigrateMain.OK);
        assertThat(out).hasToString("Schema \"public\" is at version 3: nothing to do.\n");

        out.getBuffer().setLength(0);
        assertThat(run("--db-url", database.url(), "--user", "postgres", "--check"))
                .isEqualTo(MigrateMain.OK);
        assertThat(out).hasToString("Schema \"public\" is at version 3, as needed.\n");
        assertThat(err).hasToString("");
    }

    @Test
    void checkChangesNothing() {
        assertThat(run("--db-url", database.url(), "--user", "postgres", "--schema", "onceward", "--check"))
                .isEqualTo(MigrateMain.NOT_AS_NEEDED);

        assertThat(err).asString().contains("it does not exist");
        assertThat(database.query("SELECT nspname FROM pg_namespace WHERE nspname = 'onceward'"))
                .isEmpty();
    }

    @Test
    void takesTheUrlAsLibpqWritesIt() {
        assertThat(run(
                        "--db-url",
                        database.url().substring("jdbc:".length()),
                        "--user",
                        "postgres",
                        "--schema",
                        "other"))
                .isEqualTo(MigrateMain.OK);

        assertThat(out).asString().contains("Schema \"other\"");
    }

    @Test
    void takesTheUserFromTheEnvironmentToo() {
        int exitCode = commandLine(Map.of("PGUSER", "postgres")).execute("--db-url", database.url());

        assertThat(exitCode).isEqualTo(MigrateMain.OK);
    }

    @Test
    void saysThatTheMigrationFailed() {
        database.execute("CREATE TABLE public.consumers (mine int)");

        assertThat(run("--db-url", database.url(), "--user", "postgres", "--schema", "public"))
                .isEqualTo(MigrateMain.MIGRATION_FAILED);
        assertThat(err).asString().contains("\"consumers\" already exists");
    }

    @Test
    void saysThatTheDatabaseCannotBeReached() {
        assertThat(run("--db-url", "jdbc:postgresql://localhost:1/app", "--user", "postgres"))
                .isEqualTo(MigrateMain.UNREACHABLE);
        assertThat(run("--db-url", "jdbc:postgresql://localhost:1/app", "--user", "postgres", "--check"))
                .isEqualTo(MigrateMain.UNREACHABLE);
        assertThat(run("--db-url", database.url() + "_missing", "--user", "postgres"))
                .isEqualTo(MigrateMain.UNREACHABLE);
        assertThat(run("--db-url", database.url(), "--user", "nobody_here")).isEqualTo(MigrateMain.UNREACHABLE);
    }

    @Test
    void refusesWrongUsage() {
        assertThat(run()).isEqualTo(MigrateMain.USAGE);
        assertThat(err).asString().contains("--db-url");
        assertThat(run("--db-url", "jdbc:mysql://localhost/app")).isEqualTo(MigrateMain.USAGE);
        assertThat(run("--db-url", database.url(), "--schema", "No-Plain-Name")).isEqualTo(MigrateMain.USAGE);
        assertThat(err).asString().contains("\"No-Plain-Name\" is not a plain name");
    }

    @Test
    void refusesPasswordsOnTheCommandLineAndNeverPrintsOne() {
        String[] urls = {
            database.url() + "?password=s3cret",
            database.url() + "?ssl=false&password=s3cret",
            database.url().replace("localhost", "postgres:s3cret@localhost"),
            "jdbc:mysql://root:s3cret@localhost/app"
        };
        for (String url : urls) {
            assertThat(run("--db-url", url)).as(url).isEqualTo(MigrateMain.USAGE);
        }
        int exitCode = commandLine(Map.of("PGPASSWORD", "s3cret"))
                .execute("--db-url", "jdbc:postgresql://localhost:1/app", "--user", "postgres");

        assertThat(exitCode).isEqualTo(MigrateMain.UNREACHABLE);
        assertThat(out.toString() + err).doesNotContain("s3cret");
    }

    private int run(String... arguments) {
        return commandLine(Map.of()).execute(arguments);
    }

    private CommandLine commandLine(Map<String, String> environment) {
        return MigrateMain.commandLine(environment)
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true));
    }
}
