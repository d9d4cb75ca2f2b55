package dev.onceward.examples.demo;

import dev.onceward.testsupport.BackendException;
import dev.onceward.testsupport.BackendsMode;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command line of the demo. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false,
        description = {
            "Payments from Kafka to PostgreSQL, by workers that are killed and frozen and a database that is restarted.",
            "At the end the database and the topics are compared with what was sent: each effect exactly once?"
        },
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:every guarantee held",
            "1:one did not: see the table",
            "2:wrong options",
            "3:the demo itself could not be run"
        })
public final class DemoMain implements Callable<Integer> {

    static final int HELD = 0;
    static final int BROKEN = 1;
    static final int NOT_RUN = 3;

    /** Set where the output is a terminal, which Java itself cannot tell on all its versions. */
    static final String TERMINAL_PROPERTY = "onceward.demo.terminal";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--messages", paramLabel = "N", defaultValue = "20000", description = "unique messages")
    private int messages;

    @Option(names = "--workers", paramLabel = "N", defaultValue = "3", description = "worker processes")
    private int workers;

    @Option(names = "--kills", paramLabel = "N", defaultValue = "2", description = "workers killed with SIGKILL")
    private int kills;

    @Option(
            names = "--pauses",
            paramLabel = "N",
            defaultValue = "1",
            description = "workers frozen with SIGSTOP past their lease")
    private int pauses;

    @Option(names = "--db-restarts", paramLabel = "N", defaultValue = "1", description = "restarts of PostgreSQL")
    private int dbRestarts;

    @Option(
            names = "--seed",
            paramLabel = "S",
            showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description = "decides messages and faults; by default another one each time")
    private @Nullable Long seed;

    @Option(
            names = "--backends",
            paramLabel = "WHERE",
            defaultValue = "embedded",
            description = {
                "embedded: started here, from jars",
                "containers: started with Docker",
                "external: running already; say where in the environment variable ONCEWARD_JAVA_OPTIONS:",
                "  -Donceward.backends.kafka=HOST:PORT -Donceward.backends.jdbc-url=jdbc:postgresql://HOST:PORT/DATABASE",
                "  -Donceward.backends.user=USER -Donceward.backends.password=PASSWORD"
            })
    private String backends = "";

    @Option(names = "--json", description = "the last line is the result as a JSON object")
    private boolean json;

    @Option(
            names = "--without-claims",
            description = "the control: no claim stays, so effects are doubled and the demo must fail")
    private boolean withoutClaims;

    /** Runs the demo and exits. */
    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    static CommandLine commandLine() {
        return new CommandLine(new DemoMain()).setExecutionExceptionHandler((exception, command, parsed) -> {
            if (exception instanceof DemoException || exception instanceof BackendException) {
                command.getErr().println("demo: " + exception.getMessage());
            } else {
                exception.printStackTrace(command.getErr());
            }
            return NOT_RUN;
        });
    }

    @Override
    public Integer call() throws Exception {
        Scenario scenario = scenario();
        Screen screen = new Screen(System.out, Boolean.getBoolean(TERMINAL_PROPERTY));
        return new Demo(scenario, screen, json).run() ? HELD : BROKEN;
    }

    private Scenario scenario() {
        Scenario scenario = new Scenario(
                messages,
                workers,
                kills,
                pauses,
                dbRestarts,
                seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed,
                mode(),
                !withoutClaims);
        List<String> problems = scenario.problems();
        if (!problems.isEmpty()) {
            throw wrong(String.join(System.lineSeparator(), problems));
        }
        return scenario;
    }

    private BackendsMode mode() {
        for (BackendsMode mode : BackendsMode.values()) {
            if (mode.text().equals(backends.toLowerCase(Locale.ROOT))) {
                return mode;
            }
        }
        throw wrong("--backends must be embedded, containers or external, not " + backends);
    }

    private ParameterException wrong(String message) {
        CommandSpec known = spec;
        if (known == null) {
            throw new IllegalStateException("picocli has not set the spec");
        }
        return new ParameterException(known.commandLine(), message);
    }
}
