package dev.onceward.testsupport;

import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/** Servers that run already, given by system properties. */
record ExternalBackends(String bootstrapServers, String jdbcUrl, String user, String password)
        implements BackendStarter {

    static final String KAFKA = "onceward.backends.kafka";
    static final String JDBC_URL = "onceward.backends.jdbc-url";
    static final String USER = "onceward.backends.user";
    static final String PASSWORD = "onceward.backends.password";

    private static final String BROKER = "(\\[[0-9A-Fa-f:]+]|[^\\s,:\\[\\]]+):\\d{1,5}";

    static ExternalBackends of(Properties properties) {
        List<String> problems = new ArrayList<>();
        String kafka = required(properties, KAFKA, "the brokers as host:port, several separated by commas", problems);
        String url = required(properties, JDBC_URL, "jdbc:postgresql://host:port/database", problems);
        String user = required(properties, USER, "a role that may create databases", problems);
        if (kafka != null && !kafka.matches(BROKER + "(," + BROKER + ")*")) {
            problems.add(KAFKA + "=" + kafka + " must name the brokers as host:port, several separated by commas");
        }
        // The URL itself is not shown: it may carry a password.
        if (url != null && !isUsable(url)) {
            problems.add(JDBC_URL + " must look like jdbc:postgresql://host:port/database, with one host and port");
        }
        if (!problems.isEmpty() || kafka == null || url == null || user == null) {
            throw new IllegalArgumentException(
                    "With " + BackendsMode.PROPERTY + "=external: " + String.join("; ", problems));
        }
        return new ExternalBackends(kafka, url, user, properties.getProperty(PASSWORD, ""));
    }

    private static @Nullable String required(
            Properties properties, String name, String meaning, List<String> problems) {
        String value = properties.getProperty(name, "").trim();
        if (value.isEmpty()) {
            problems.add(name + " is missing: " + meaning);
            return null;
        }
        return value;
    }

    private static boolean isUsable(String url) {
        try {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(url);
            return source.getServerNames().length == 1;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    @Override
    public KafkaServer kafka() {
        return new ExternalKafka(bootstrapServers);
    }

    @Override
    public PostgresServer postgres() {
        return new ExternalPostgres(this);
    }

    private record ExternalKafka(String bootstrapServers) implements KafkaServer {
        @Override
        public void close() {
            // Not started here.
        }
    }

    /** Keeps the URL's parameters (such as {@code sslmode}) for each database, and drops at the end what it created. */
    private static final class ExternalPostgres implements PostgresServer {

        private final ExternalBackends given;
        private final String host;
        private final int port;
        private final PostgresAdmin admin;
        private final Set<String> created = ConcurrentHashMap.newKeySet();

        ExternalPostgres(ExternalBackends given) {
            this.given = given;
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(given.jdbcUrl);
            source.setUser(given.user);
            source.setPassword(given.password);
            this.host = source.getServerNames()[0];
            this.port = source.getPortNumbers()[0];
            this.admin = new PostgresAdmin(host + ":" + port, source);
        }

        @Override
        public String host() {
            return host;
        }

        @Override
        public int port() {
            return port;
        }

        @Override
        public String user() {
            return given.user;
        }

        @Override
        public String password() {
            return given.password;
        }

        @Override
        public String jdbcUrl(String database) {
            int parameters = given.jdbcUrl.indexOf('?');
            return PostgresServer.super.jdbcUrl(database) + (parameters < 0 ? "" : given.jdbcUrl.substring(parameters));
        }

        @Override
        public DataSource dataSource(String database) {
            PGSimpleDataSource source = new PGSimpleDataSource();
            source.setURL(jdbcUrl(database));
            source.setUser(given.user);
            source.setPassword(given.password);
            return source;
        }

        @Override
        public String createDatabase() {
            String name = admin.createDatabase();
            created.add(name);
            return name;
        }

        @Override
        public String serverVersion() {
            return admin.serverVersion();
        }

        @Override
        public void close() {
            created.forEach(admin::dropDatabase);
            created.clear();
        }
    }
}
