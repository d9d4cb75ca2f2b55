package dev.onceward.testsupport;

import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Where a server is and as whom to enter it. */
record PostgresAddress(String host, int port, String user, String password) {

    static final String ADMIN_DATABASE = "postgres";

    static String url(String host, int port, String database) {
        return "jdbc:postgresql://" + host + ":" + port + "/" + database;
    }

    DataSource dataSource(String database) {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setServerNames(new String[] {host});
        source.setPortNumbers(new int[] {port});
        source.setDatabaseName(database);
        source.setUser(user);
        source.setPassword(password);
        return source;
    }

    /** For {@code libpq}. */
    String connectionInfo(String applicationName) {
        return "host=" + host + " port=" + port + " user=" + user + " password=" + password + " application_name="
                + applicationName;
    }

    PostgresAdmin admin() {
        return new PostgresAdmin(host + ":" + port, dataSource(ADMIN_DATABASE));
    }
}
