package dev.onceward.testsupport;

import com.github.dockerjava.api.DockerClient;
import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.model.ExposedPort;
import com.github.dockerjava.api.model.HostConfig;
import com.github.dockerjava.api.model.PortBinding;
import com.github.dockerjava.api.model.Ports.Binding;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.postgresql.PostgreSQLContainer;

/**
 * PostgreSQL in a Docker container. Unlike the usual container of a test it has a port of its own choice: one given by the
 * engine would be another one after a restart.
 */
final class ContainerPostgres implements PostgresServer, RestartableServer {

    static final String IMAGE_VARIABLE = "ONCEWARD_POSTGRES_IMAGE";
    static final String OFFICIAL_IMAGE = "postgres:18";

    private static final String USER = "postgres";
    private static final int READY_SECONDS = 60;
    private static final int STOP_SECONDS = 60;

    private final PostgreSQLContainer container;
    private final PostgresAddress address;
    private final ServerLifecycle lifecycle = new ServerLifecycle("The container of PostgreSQL");

    private ContainerPostgres(PostgreSQLContainer container, int port) {
        this.container = container;
        this.address = new PostgresAddress(container.getHost(), port, USER, container.getPassword());
    }

    static ContainerPostgres start(PostgresOptions options) {
        ContainerSupport.requireEngine();
        int port = FreePorts.next();
        PostgreSQLContainer container = new PostgreSQLContainer(ContainerSupport.image(IMAGE_VARIABLE, OFFICIAL_IMAGE))
                .withUsername(USER)
                .withDatabaseName(PostgresAddress.ADMIN_DATABASE)
                .withCreateContainerCmdModifier(command -> bind(Objects.requireNonNull(command.getHostConfig()), port));
        container.setCommandParts(command(options));
        try {
            container.start();
        } catch (RuntimeException e) {
            container.stop();
            throw new BackendException("The container of PostgreSQL did not start: " + e.getMessage(), e);
        }
        return new ContainerPostgres(container, port);
    }

    /** On loopback only, if the engine is on this machine. */
    private static void bind(HostConfig host, int port) {
        String engine = DockerClientFactory.instance().dockerHostIpAddress();
        boolean local = engine.equals("localhost") || engine.equals("127.0.0.1");
        Binding binding = local ? Binding.bindIpAndPort("127.0.0.1", port) : Binding.bindPort(port);
        host.withPortBindings(new PortBinding(binding, ExposedPort.tcp(PostgreSQLContainer.POSTGRESQL_PORT)));
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
    public long pid() {
        return Objects.requireNonNullElse(state().getPidLong(), 0L);
    }

    @Override
    public boolean isAlive() {
        return Boolean.TRUE.equals(state().getRunning());
    }

    @Override
    public synchronized void kill() {
        lifecycle.to(ServerLifecycle.State.STOPPED);
        client().killContainerCmd(id()).exec();
        Await.until(() -> !isAlive(), STOP_SECONDS, () -> "the killed container of PostgreSQL did not end");
    }

    @Override
    public synchronized void stop() {
        if (lifecycle.is(ServerLifecycle.State.FROZEN)) {
            unfreeze();
        }
        lifecycle.to(ServerLifecycle.State.STOPPED);
        client().stopContainerCmd(id()).withTimeout(STOP_SECONDS).exec();
    }

    @Override
    public synchronized void restart() {
        if (lifecycle.isUp()) {
            stop();
        }
        lifecycle.require(ServerLifecycle.State.STOPPED);
        client().startContainerCmd(id()).exec();
        Await.until(this::answers, READY_SECONDS, () -> "PostgreSQL does not answer:\n" + container.getLogs());
        lifecycle.to(ServerLifecycle.State.RUNNING);
    }

    @Override
    public synchronized void freeze() {
        lifecycle.to(ServerLifecycle.State.FROZEN);
        client().pauseContainerCmd(id()).exec();
    }

    @Override
    public synchronized void unfreeze() {
        lifecycle.require(ServerLifecycle.State.FROZEN);
        lifecycle.to(ServerLifecycle.State.RUNNING);
        client().unpauseContainerCmd(id()).exec();
    }

    @Override
    public synchronized void close() {
        if (lifecycle.is(ServerLifecycle.State.CLOSED)) {
            return;
        }
        lifecycle.to(ServerLifecycle.State.CLOSED);
        container.stop(); // kills and removes it, with its data
    }

    private boolean answers() {
        try (Connection connection =
                address.dataSource(PostgresAddress.ADMIN_DATABASE).getConnection()) {
            return connection.isValid(READY_SECONDS);
        } catch (SQLException e) {
            return false;
        }
    }

    private ContainerState state() {
        return client().inspectContainerCmd(id()).exec().getState();
    }

    private String id() {
        return container.getContainerId();
    }

    private DockerClient client() {
        return container.getDockerClient();
    }
}
