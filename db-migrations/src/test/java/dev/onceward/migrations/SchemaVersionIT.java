package dev.onceward.migrations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.onceward.migrations.SchemaVersionException.Problem;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 1, unit = TimeUnit.MINUTES)
class SchemaVersionIT {
    private final TestDatabase database = TestDatabase.create();

    @Test
    void saysThatTheSchemaIsMissingAndWhatToRun() {
        SchemaVersionException refusal = refusal();

        assertThat(refusal.problem()).isEqualTo(Problem.SCHEMA_MISSING);
        assertThat(refusal)
                .hasMessageContaining("Schema \"onceward\" of " + database.url() + " is not ready: it does not exist")
                .hasMessageContaining("needs schema version " + SchemaVersion.REQUIRED)
                .hasMessageContaining("-cli.jar --db-url '" + database.url() + "' --user 'postgres' --schema onceward")
                .hasMessageContaining("Migrations.apply(dataSource, \"onceward\")");
    }

    @Test
    void saysThatTheTablesAreMissing() {
        database.execute("CREATE SCHEMA onceward");

        assertThat(refusal().problem()).isEqualTo(Problem.TABLES_MISSING);
        assertThat(refusal()).hasMessageContaining("it has no table onceward_schema_history");
    }

    @Test
    void saysThatNothingWasAppliedYet() {
        Migrations.apply(database.asSuperuser(), "onceward");
        database.execute("DELETE FROM onceward.onceward_schema_history");

        assertThat(refusal().problem()).isEqualTo(Problem.TABLES_MISSING);
        assertThat(refusal()).hasMessageContaining("no migration has been applied to it");
    }

    @Test
    void aBaselineIsNoMigration() {
        Migrations.apply(database.asSuperuser(), "onceward");
        database.execute("UPDATE onceward.onceward_schema_history SET version = '0', type = 'BASELINE'");

        assertThat(refusal().problem()).isEqualTo(Problem.TABLES_MISSING);
    }

    @Test
    void saysThatItIsNewerThanThisVersionKnows() {
        Migrations.apply(database.asSuperuser(), "onceward");
        int newer = SchemaVersion.REQUIRED + 1;
        database.execute("UPDATE onceward.onceward_schema_history SET version = '" + newer + "'");

        assertThat(refusal().problem()).isEqualTo(Problem.TOO_NEW);
        assertThat(refusal())
                .hasMessageContaining("is at version " + newer + ", migrated by a newer Onceward")
                .hasMessageContaining("needs schema version " + SchemaVersion.REQUIRED)
                .hasMessageContaining("--check");
    }

    @Test
    void takesAVersionItCannotReadForANewerOne() {
        Migrations.apply(database.asSuperuser(), "onceward");
        database.execute("UPDATE onceward.onceward_schema_history SET version = '1.1'");

        assertThat(refusal().problem()).isEqualTo(Problem.TOO_NEW);
        assertThat(refusal()).hasMessageContaining("unknown version");
    }

    @Test
    void saysThatAMigrationFailed() {
        Migrations.apply(database.asSuperuser(), "onceward");
        database.execute("UPDATE onceward.onceward_schema_history SET success = false");

        assertThat(refusal().problem()).isEqualTo(Problem.FAILED);
        assertThat(refusal()).hasMessageContaining("migration 1 (tables) began and did not end");
    }

    @Test
    void saysWhatToGrantToARoleThatMayNotLook() {
        Migrations.apply(database.asSuperuser(), "onceward");
        String stranger = "stranger_" + database.name();
        database.execute("CREATE ROLE " + stranger + " LOGIN");

        assertThatThrownBy(() -> SchemaVersion.verify(database.as(stranger), "onceward"))
                .isInstanceOf(SchemaVersionException.class)
                .hasMessageContaining("role \"" + stranger + "\" may not read its tables")
                .hasMessageContaining("GRANT USAGE ON SCHEMA \"onceward\" TO \"" + stranger + "\"");
    }

    @Test
    void keepsParametersOfTheUrlOutOfTheMessage() {
        var dataSource = database.asSuperuser();
        dataSource.setURL(database.url() + "?user=postgres&password=s3cret");

        assertThatThrownBy(() -> SchemaVersion.verify(dataSource, "onceward"))
                .isInstanceOf(SchemaVersionException.class)
                .message()
                .doesNotContain("s3cret");
    }

    @Test
    void anUnreachableDatabaseSaysNothingAboutItsTables() {
        var nobody = database.asSuperuser();
        nobody.setPortNumbers(new int[] {1});

        assertThatThrownBy(() -> SchemaVersion.verify(nobody, "onceward")).isInstanceOf(SQLException.class);
    }

    @Test
    void refusesANameThatIsNotPlainBeforeItAsks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SchemaVersion.verify(database.asSuperuser(), "once\"ward"));
    }

    private SchemaVersionException refusal() {
        return catchThrowableOfType(
                SchemaVersionException.class, () -> SchemaVersion.verify(database.asSuperuser(), "onceward"));
    }
}
