package dev.onceward.chaos;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command line. */
@Command(
        name = "chaos",
        mixinStandardHelpOptions = true,
        showDefaultValues = true,
        sortOptions = false,
        description = {
            "Workers, three brokers and a PostgreSQL with a standby, hurt again and again while messages flow; at the end the database and"
                    + " the topics say whether every guarantee held.",
            "The seed decides which fault comes when and for how long, and where as far as there is a choice at that moment."
        },
        exitCodeListHeading = "%nExit code:%n",
        exitCodeList = {
            "0:every guarantee held",
            "1:one did not, or the workers did not get on: see the report",
            "2:wrong options",
            "3:the run itself could not be made"
        })
public final class ChaosMain implements Callable<Integer> {
    private static final int HELD = 0;
    private static final int BROKEN = 1;
    private static final int NOT_RUN = 3;

    @Option(names = "--minutes", paramLabel = "N", defaultValue = "3", description = "how long faults strike")
    private double minutes;

    @Option(
            names = "--seed",
            paramLabel = "S",
            showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description =
                    "by default another one each time; it is printed. Even ones use the classic group protocol, odd"
                            + " ones the new one")
    private @Nullable Long seed;

    @Option(names = "--rate", paramLabel = "N", defaultValue = "400", description = "messages a second")
    private int rate;

    @Option(
            names = "--logs",
            paramLabel = "DIR",
            showDefaultValue = CommandLine.Help.Visibility.NEVER,
            description = "for the workers' logs; by default a new temporary directory")
    private @Nullable Path logs;

    @Option(names = "--json", description = "the last line is the result as a JSON object")
    private boolean json;

    @Option(names = "--schedule", description = "only print the schedule")
    private boolean scheduleOnly;

    @Spec
    @SuppressWarnings("NullAway.Init") // by picocli
    private CommandSpec command;

    private ChaosMain() {}

    /** Runs it and exits. */
    public static void main(String[] arguments) {
        System.exit(new CommandLine(new ChaosMain())
                .setExecutionExceptionHandler((exception, command, parsed) -> {
                    exception.printStackTrace(command.getErr());
                    return NOT_RUN;
                })
                .execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        if (minutes <= 0 || rate <= 0) {
            throw new CommandLine.ParameterException(
                    command.commandLine(),
                    "--minutes and --rate must be more than 0, they are " + minutes + " and " + rate);
        }
        long chosen = seed == null ? ThreadLocalRandom.current().nextInt(1_000_000) : seed;
        Duration length = Duration.ofSeconds(Math.round(minutes * 60));
        if (scheduleOnly) {
            Schedule.of(chosen, length)
                    .forEach(fault -> System.out.println(fault.at().toMillis() / 1000.0 + " s "
                            + fault.kind().text()));
            return HELD;
        }
        Path directory = directory();
        System.err.println("seed " + chosen + ", workers' logs in " + directory);
        Outcome outcome = new Chaos(chosen, length, rate, directory, ChaosMain::tell).run();
        print(outcome);
        return outcome.held() ? HELD : BROKEN;
    }

    private Path directory() throws IOException {
        return logs == null ? Files.createTempDirectory("onceward-chaos-") : Files.createDirectories(logs);
    }

    private void print(Outcome outcome) throws JsonProcessingException {
        if (json) {
            System.out.println(new ObjectMapper().writeValueAsString(outcome.json()));
        } else {
            outcome.json().forEach((name, value) -> System.out.println(name + ": " + value));
        }
    }

    private static void tell(String news) {
        System.err.println(LocalTime.now(ZoneOffset.UTC).truncatedTo(ChronoUnit.SECONDS) + " " + news);
    }
}
