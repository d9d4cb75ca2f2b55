package dev.onceward.testsupport;

import java.util.ArrayList;
import java.util.List;
import org.testcontainers.postgresql.PostgreSQLContainer;

/** PostgreSQL in a Docker container. */
final class ContainerPostgres implements PostgresServer {

    static final String IMAGE_VARIABLE = "ONCEWARD_POSTGRES_IMAGE";
    static final String OFFICIAL_IMAGE = "postgres:18";

    private static final String USER = "postgres";

    private final PostgreSQLContainer container;
    private final PostgresAddress address;

    private ContainerPostgres(PostgreSQLContainer container) {
        this.container = container;
        this.address = new PostgresAddress(
                container.getHost(),
                container.getMappedPort(PostgreSQLContainer.POSTGRESQL_PORT),
                USER,
                container.getPassword());
    }

    static ContainerPostgres start(PostgresOptions options) {
        ContainerSupport.requireEngine();
        PostgreSQLContainer container = new PostgreSQLContainer(ContainerSupport.image(IMAGE_VARIABLE, OFFICIAL_IMAGE))
                .withUsername(USER)
                .withDatabaseName(PostgresAddress.ADMIN_DATABASE);
        container.setCommandParts(command(options));
        try {
            container.start();
        } catch (RuntimeException e) {
            container.stop();
            throw new BackendException("The container of PostgreSQL did not start: " + e.getMessage(), e);
        }
        return new ContainerPostgres(container);
    }

    private static String[] command(PostgresOptions options) {
        List<String> command = new ArrayList<>(List.of("postgres"));
        options.effective().forEach((name, value) -> command.addAll(List.of("-c", name + "=" + value)));
        return command.toArray(String[]::new);
    }

    @Override
    public String host() {
        return address.host();
    }

    @Override
    public int port() {
        return address.port();
    }

    @Override
    public String user() {
        return address.user();
    }

    @Override
    public String password() {
        return address.password();
    }

    @Override
    public String createDatabase() {
        return address.admin().createDatabase();
    }

    @Override
    public String serverVersion() {
        return address.admin().serverVersion();
    }

    @Override
    public void close() {
        container.stop();
    }
}
