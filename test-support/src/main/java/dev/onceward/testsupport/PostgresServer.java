package dev.onceward.testsupport;

import javax.sql.DataSource;

/**
 * A running PostgreSQL server that tests may use. Tests stay apart by taking a {@linkplain #createDatabase() database of
 * their own}. All methods may be called from any thread.
 */
public interface PostgresServer extends AutoCloseable {

    /** Address to connect to. The same for the server's whole life. */
    String host();

    /** TCP port to connect to. The same for the server's whole life, also across restarts. */
    int port();

    /** Role that owns the databases made here; a superuser except on an external server, where it is the configured one. */
    String user();

    /** Password of {@link #user()}; empty where none is needed. */
    String password();

    /** JDBC URL of a database, without user and password. */
    default String jdbcUrl(String database) {
        return PostgresAddress.url(host(), port(), database);
    }

    /** Unpooled connections to a database: each {@code getConnection()} opens a new one. */
    default DataSource dataSource(String database) {
        return new PostgresAddress(host(), port(), user(), password()).dataSource(database);
    }

    /**
     * Creates an empty database under a fresh random name; takes some tens of milliseconds.
     *
     * @return its name, for {@link #jdbcUrl} and {@link #dataSource}
     * @throws BackendException if the server refuses
     */
    String createDatabase();

    /** The server's own {@code server_version}, such as {@code 18.6}. */
    String serverVersion();

    /** Ends the server where this object started it, and removes its data. Does nothing the second time. */
    @Override
    void close();
}
