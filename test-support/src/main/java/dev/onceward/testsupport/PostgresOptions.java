package dev.onceward.testsupport;

import java.util.Map;
import java.util.TreeMap;

/**
 * How an embedded PostgreSQL is set up. Immutable; start from {@link #durable()} or {@link #fast()}.
 *
 * @param settings server settings as in {@code postgresql.conf}, such as {@code max_connections}; values are plain text and
 *     are quoted where needed. They go over the defaults of this class: 200 connections, autovacuum on, UTC, messages in
 *     English.
 */
public record PostgresOptions(Map<String, String> settings) {

    /** Checks and copies. */
    public PostgresOptions {
        settings.forEach((name, value) -> {
            if (!name.matches("[A-Za-z_][A-Za-z0-9_.]*")) {
                throw new IllegalArgumentException("Not the name of a PostgreSQL setting: '" + name + "'");
            }
            if (value.indexOf('\n') >= 0 || value.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("PostgreSQL setting " + name + " has a value of more than one line");
            }
        });
        settings = Map.copyOf(settings);
    }

    /** A committed transaction survives a crash of the machine, and costs what that costs ({@code fsync = on}). */
    public static PostgresOptions durable() {
        return new PostgresOptions(Map.of("fsync", "on"));
    }

    /** Survives {@code kill -9} of the server, but not a crash of the machine ({@code fsync = off}); several times faster. */
    public static PostgresOptions fast() {
        return new PostgresOptions(Map.of("fsync", "off"));
    }

    /** The same with one setting set or replaced. */
    public PostgresOptions with(String setting, String value) {
        Map<String, String> changed = new TreeMap<>(settings);
        changed.put(setting, value);
        return new PostgresOptions(changed);
    }

    /** With the defaults of this class. */
    Map<String, String> effective() {
        Map<String, String> effective = new TreeMap<>(Map.of(
                "max_connections", "200",
                "autovacuum", "on",
                "timezone", "UTC",
                "lc_messages", "C",
                // Files instead of shared memory: /dev/shm is small in containers, and survives a killed server.
                "dynamic_shared_memory_type", "mmap"));
        effective.putAll(settings);
        return effective;
    }

    /** As the text of a configuration file. */
    static String asConfiguration(Map<String, String> settings) {
        StringBuilder text = new StringBuilder();
        settings.forEach((name, value) ->
                text.append(name).append(" = '").append(quoted(value)).append("'\n"));
        return text.toString();
    }

    private static String quoted(String value) {
        return value.replace("\\", "\\\\").replace("'", "''");
    }
}
