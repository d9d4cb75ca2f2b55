package dev.onceward.dlq;

import dev.onceward.dlq.connect.CannotConnectException;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Console;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.sql.SQLException;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** From an exception to one message without secrets, and an exit code. */
final class Failures implements IParameterExceptionHandler, IExecutionExceptionHandler {
    private final Console console;

    Failures(Console console) {
        this.console = console;
    }

    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
        CommandLine command = failure.getCommandLine();
        console.say("dlq: " + message(failure));
        CommandLine.UnmatchedArgumentException.printSuggestions(failure, command.getErr());
        console.say("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return ExitCodes.USAGE;
    }

    @Override
    public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
        console.say("dlq: " + message(failure));
        if (isVerbose(parsed)) {
            StringWriter trace = new StringWriter();
            failure.printStackTrace(new PrintWriter(trace, true));
            console.say(trace.toString());
        }
        return exitCode(failure);
    }

    /** The option stands behind the command, and is told to the result of the command and to nobody else. */
    private static boolean isVerbose(ParseResult parsed) {
        return parsed.hasMatchedOption("--verbose") || (parsed.hasSubcommand() && isVerbose(parsed.subcommand()));
    }

    /** An option that there is not may be followed by a password, or hold one: only its name is repeated. */
    private static String message(ParameterException failure) {
        if (failure instanceof CommandLine.UnmatchedArgumentException unmatched) {
            List<String> unknown = unmatched.getUnmatched();
            String first = unknown.get(0);
            if (first.startsWith("-")) {
                String name = first.startsWith("--")
                        ? first.split("=", 2)[0]
                        : first.substring(0, Math.min(2, first.length()));
                String hint = name.startsWith("--pass") || name.equals("-p") || name.equals("-W")
                        ? "; a password comes from PGPASSWORD or ~/.pgpass"
                        : "";
                return "there is no option " + name + hint;
            }
        }
        return String.valueOf(failure.getMessage());
    }

    /** What went wrong, in one message; secrets are hidden by who prints it. */
    static String message(Exception failure) {
        String message = failure.getMessage();
        if (failure instanceof SQLException) {
            return "PostgreSQL: " + message;
        }
        boolean ours = failure instanceof UsageException
                || failure instanceof RefusedException
                || failure instanceof CannotConnectException;
        return ours && message != null ? message : failure.getClass().getSimpleName() + ": " + message;
    }

    private static int exitCode(Exception failure) {
        if (failure instanceof UsageException || failure instanceof ParameterException) {
            return ExitCodes.USAGE;
        }
        if (failure instanceof RefusedException) {
            return ExitCodes.REFUSED;
        }
        if (failure instanceof CannotConnectException || (failure instanceof SQLException e && isConnection(e))) {
            return ExitCodes.CANNOT_CONNECT;
        }
        return ExitCodes.SOME_FAILED;
    }

    /** Lost, shutting down, not let in, no connection free. */
    static boolean isConnection(SQLException failure) {
        String state = String.valueOf(failure.getSQLState());
        return state.startsWith("08") || state.startsWith("28") || state.startsWith("53") || state.startsWith("57P");
    }
}
