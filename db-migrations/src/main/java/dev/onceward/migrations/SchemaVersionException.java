package dev.onceward.migrations;

/** The database is reachable, but its tables are not those that this version of Onceward works with. */
public final class SchemaVersionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** What is wrong with the tables. */
    public enum Problem {
        /** There is no schema of that name. */
        SCHEMA_MISSING,
        /** The schema is there, but no migration was ever applied to it. */
        TABLES_MISSING,
        /** Migrations are missing. */
        TOO_OLD,
        /** A newer version of Onceward has migrated it. */
        TOO_NEW,
        /** A migration began and did not end. */
        FAILED,
        /** The role may not read the tables. */
        NOT_READABLE
    }

    private final Problem problem;

    SchemaVersionException(Problem problem, String message) {
        super(message);
        this.problem = problem;
    }

    /** What is wrong. */
    public Problem problem() {
        return problem;
    }
}
