package dev.onceward.testsupport;

/** Servers that one test must not close under the others. */
final class Shared {

    private Shared() {}

    record Kafka(KafkaServer server) implements KafkaServer {
        @Override
        public String bootstrapServers() {
            return server.bootstrapServers();
        }

        @Override
        public void close() {
            // Ends with the JVM.
        }
    }

    record Postgres(PostgresServer server) implements PostgresServer {
        @Override
        public String host() {
            return server.host();
        }

        @Override
        public int port() {
            return server.port();
        }

        @Override
        public String user() {
            return server.user();
        }

        @Override
        public String password() {
            return server.password();
        }

        @Override
        public String jdbcUrl(String database) {
            return server.jdbcUrl(database);
        }

        @Override
        public String createDatabase() {
            return server.createDatabase();
        }

        @Override
        public String serverVersion() {
            return server.serverVersion();
        }

        @Override
        public void close() {
            // Ends with the JVM.
        }
    }
}
