package dev.onceward.dlq.connect;

import dev.onceward.dlq.output.Console;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options with which a command finds Kafka and PostgreSQL: a picocli mixin. A flag wins over the environment, the
 * environment over the file of {@code --config}.
 */
public final class ConnectionOptions {
    private final Console console;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            description = "Kafka. Or: DLQ_BOOTSTRAP_SERVER.",
            order = 100)
    private @Nullable String bootstrapServer;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            description =
                    "Properties for Kafka's clients, as for Kafka's own commands: security.protocol, sasl.*, ssl.*"
                            + " Or: DLQ_COMMAND_CONFIG.",
            order = 101)
    private @Nullable Path commandConfig;

    @Option(
            names = "--db-url",
            paramLabel = "URL",
            description = "PostgreSQL: postgresql://HOST:PORT/DATABASE or the same with jdbc: in front. Or: DLQ_DB_URL."
                    + " The password comes from PGPASSWORD or ~/.pgpass, never from the command line.",
            order = 102)
    private @Nullable String dbUrl;

    @Option(names = "--db-user", paramLabel = "USER", description = "Or: DLQ_DB_USER.", order = 103)
    private @Nullable String dbUser;

    @Option(
            names = "--schema",
            paramLabel = "SCHEMA",
            description = "Where Onceward's tables are. Or: DLQ_SCHEMA. Default: public.",
            order = 104)
    private @Nullable String schema;

    @Option(
            names = "--consumer",
            paramLabel = "NAME",
            description = "The consumer, by the name that its workers have in onceward.consumer. Or: DLQ_CONSUMER.",
            order = 105)
    private @Nullable String consumer;

    @Option(
            names = "--config",
            paramLabel = "FILE",
            description = "Properties named like these options: db-url=postgresql://… Or: DLQ_CONFIG.",
            order = 106)
    private @Nullable Path config;

    @Option(
            names = "--verbose",
            description = "When something fails, tell also what was called. No secrets.",
            order = 107)
    private boolean verbose;

    /** For the command that has these options as a field. */
    public ConnectionOptions(Console console) {
        this.console = console;
    }

    /**
     * What was given, by flag, environment or file. Opens nothing yet. To be closed by the command.
     *
     * @throws dev.onceward.dlq.exit.UsageException the file cannot be read, or holds what is no setting
     */
    public Connections connections() {
        GivenSettings given = new GivenSettings(console.environment(), config)
                .flag(SettingNames.BOOTSTRAP_SERVER, bootstrapServer)
                .flag(SettingNames.COMMAND_CONFIG, commandConfig == null ? null : commandConfig.toString())
                .flag(SettingNames.DB_URL, dbUrl)
                .flag(SettingNames.DB_USER, dbUser)
                .flag(SettingNames.SCHEMA, schema)
                .flag(SettingNames.CONSUMER, consumer);
        return new Connections(given, console.secrets());
    }

    /** Whether failures are told at length. */
    public boolean verbose() {
        return verbose;
    }
}
