package dev.onceward.migrations;

/** The migrations could not be applied. What had been applied before stays applied: each migration is one transaction. */
public final class MigrationException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    MigrationException(String message, Throwable cause) {
        super(message, cause);
    }
}
