package dev.onceward.migrations;

import java.sql.SQLException;
import javax.sql.DataSource;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;

/**
 * Applies and verifies the migrations of the tables of Onceward.
 *
 * <p>Any number of processes may call {@link #apply} at once, on an empty database too: they queue for a lock, the first
 * migrates, the others find it done. Thread-safe.
 */
public final class Migrations {
    private Migrations() {}

    /**
     * Brings the tables to the version that this code works with. Creates the schema if it is missing; tables of others
     * in it are left alone.
     *
     * @param dataSource needs the migrating role (see docs/database-roles.md) and three connections at once, straight
     *                   to PostgreSQL: not through PgBouncer in transaction mode, since a migration sets the search path
     *                   of its session
     * @param schema     name of the schema, see {@link SchemaName}
     * @return the number of migrations that this call applied; 0 if all had been applied before
     * @throws MigrationException       if a migration fails, or the database cannot be reached
     * @throws SchemaVersionException   if a newer Onceward has migrated the schema
     * @throws IllegalArgumentException if the schema's name is not a plain name
     */
    public static int apply(DataSource dataSource, String schema) {
        SchemaName name = new SchemaName(schema);
        try (MigrationLock lock = MigrationLock.acquire(dataSource, name)) {
            lock.createSchemaIfMissing();
            int applied = migrate(dataSource, name);
            // Flyway is content with migrations that it does not know.
            SchemaVersion.verify(dataSource, schema);
            return applied;
        } catch (SQLException | FlywayException e) {
            throw new MigrationException("Migrating schema \"" + name + "\" failed: " + e.getMessage(), e);
        }
    }

    /**
     * Returns if the tables are exactly those that this code works with. Needs Flyway no more than
     * {@link SchemaVersion#verify}, which it calls.
     *
     * @param dataSource one connection is taken and given back
     * @param schema     name of the schema, see {@link SchemaName}
     * @throws SchemaVersionException   if they are not; the message says what is there, what is needed and what to run
     * @throws IllegalArgumentException if the schema's name is not a plain name
     * @throws SQLException             if the database cannot be asked, which says nothing about the tables
     */
    public static void verify(DataSource dataSource, String schema) throws SQLException {
        SchemaVersion.verify(dataSource, schema);
    }

    private static int migrate(DataSource dataSource, SchemaName schema) {
        return Flyway.configure(Migrations.class.getClassLoader())
                .dataSource(dataSource)
                .locations("classpath:dev/onceward/migrations/sql")
                .failOnMissingLocations(true)
                .validateMigrationNaming(true)
                .placeholderReplacement(false)
                .table(SchemaVersion.HISTORY_TABLE)
                .defaultSchema(schema.value())
                .schemas(schema.value())
                .createSchemas(false)
                // The schema may be the service's own, full of its tables.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .loggers("slf4j")
                .load()
                .migrate()
                .migrationsExecuted;
    }
}
