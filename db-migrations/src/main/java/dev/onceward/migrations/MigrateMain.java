package dev.onceward.migrations;

import java.io.PrintWriter;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Migrates a database, or checks one, from the command line.
 *
 * <p>Exit codes, which are kept from version to version: 0 the tables are those that this version needs; 1 the migration
 * failed; 2 wrong usage; 3 the tables are not those that this version needs; 4 the database cannot be reached.
 */
@Command(
        name = "onceward-migrate",
        description = {
            "Brings the tables of Onceward to the version that this jar contains, or checks them.",
            "Safe to run again, and to run on several machines at once."
        },
        sortOptions = false,
        mixinStandardHelpOptions = true,
        versionProvider = MigrateMain.Version.class,
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:the tables are those that this version needs",
            "1:a migration failed",
            "2:wrong usage",
            "3:the tables are not those that this version needs",
            "4:the database cannot be reached"
        },
        footerHeading = "%nPassword:%n",
        footer = {
            "From the environment variable PGPASSWORD, or from the file ~/.pgpass (or the one that PGPASSFILE names).",
            "Never from the command line, which every user of the machine can read."
        })
public final class MigrateMain implements Callable<Integer> {
    static final int OK = 0;
    static final int MIGRATION_FAILED = 1;
    static final int USAGE = 2;
    static final int NOT_AS_NEEDED = 3;
    static final int UNREACHABLE = 4;

    private final Map<String, String> environment;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec spec;

    @Option(
            names = "--db-url",
            required = true,
            paramLabel = "URL",
            description = "For example jdbc:postgresql://db.example.com:5432/app; parameters of the PostgreSQL driver"
                    + " may follow a question mark.")
    @SuppressWarnings("NullAway.Init") // by picocli: required
    private String url;

    @Option(
            names = "--user",
            paramLabel = "ROLE",
            description = "The migrating role: it must own the tables, and be allowed to create schemas if this one is"
                    + " missing. Default: PGUSER, or the operating system's user.")
    private @Nullable String user;

    @Option(
            names = "--schema",
            paramLabel = "NAME",
            defaultValue = "public",
            description = "Schema of the tables; the workers must be told the same. Default: ${DEFAULT-VALUE}.")
    @SuppressWarnings("NullAway.Init") // by picocli: has a default
    private String schema;

    @Option(names = "--check", description = "Change nothing, only say whether the tables are as needed.")
    private boolean check;

    MigrateMain(Map<String, String> environment) {
        this.environment = environment;
    }

    /** See {@code --help}. */
    public static void main(String[] arguments) {
        // Flyway logs through SLF4J, which without a backend says so on the terminal first.
        System.setProperty("slf4j.internal.verbosity", "ERROR");
        System.exit(commandLine(System.getenv()).execute(arguments));
    }

    static CommandLine commandLine(Map<String, String> environment) {
        return new CommandLine(new MigrateMain(environment));
    }

    @Override
    public Integer call() {
        PGSimpleDataSource dataSource = dataSource();
        try {
            if (check) {
                Migrations.verify(dataSource, schema);
                out().printf("Schema \"%s\" is at version %d, as needed.%n", schema, SchemaVersion.REQUIRED);
            } else {
                int applied = Migrations.apply(dataSource, schema);
                out().printf(
                                "Schema \"%s\" is at version %d: %s.%n",
                                schema,
                                SchemaVersion.REQUIRED,
                                applied == 0 ? "nothing to do" : applied + " applied now");
            }
            return OK;
        } catch (SchemaVersionException e) {
            return fail(e, NOT_AS_NEEDED);
        } catch (MigrationException | SQLException e) {
            return fail(e, isUnreachable(e) ? UNREACHABLE : MIGRATION_FAILED);
        }
    }

    private PGSimpleDataSource dataSource() {
        String jdbcUrl = url.startsWith("postgresql://") ? "jdbc:" + url : url;
        // Neither message repeats the URL: there may be a password in it.
        if (!jdbcUrl.startsWith("jdbc:postgresql:")) {
            throw usage("--db-url does not begin with jdbc:postgresql:");
        }
        if (jdbcUrl.matches("jdbc:postgresql://[^/?]*@.*") || jdbcUrl.matches(".*[?&]password=.*")) {
            throw usage("--db-url must not contain a password or user: give --user, and the password in PGPASSWORD");
        }
        PGSimpleDataSource dataSource = new PGSimpleDataSource();
        try {
            dataSource.setURL(jdbcUrl);
            new SchemaName(schema);
        } catch (IllegalArgumentException e) {
            throw usage(String.valueOf(e.getMessage()));
        }
        dataSource.setApplicationName("onceward-migrate");
        dataSource.setUser(user != null ? user : environment.get("PGUSER"));
        dataSource.setPassword(environment.get("PGPASSWORD"));
        return dataSource;
    }

    private ParameterException usage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private int fail(Exception failure, int exitCode) {
        spec.commandLine().getErr().println(failure.getMessage());
        return exitCode;
    }

    /** Class 08: no connection; 28: refused by name or password; 3D000: no such database; 57P0x: stopping or starting. */
    private static boolean isUnreachable(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                String state = sql.getSQLState();
                return state.startsWith("08")
                        || state.startsWith("28")
                        || state.equals("3D000")
                        || state.startsWith("57P0");
            }
        }
        return false;
    }

    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            String version = MigrateMain.class.getPackage().getImplementationVersion();
            return new String[] {
                "onceward-migrate " + (version == null ? "(development)" : version) + ", schema version "
                        + SchemaVersion.REQUIRED
            };
        }
    }
}
