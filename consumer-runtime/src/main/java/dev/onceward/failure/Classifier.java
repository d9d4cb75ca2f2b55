package dev.onceward.failure;

import dev.onceward.catalog.EventNames;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.FailureClassifier;
import dev.onceward.handler.MessageFailedException;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.handler.UnavailableException;
import java.io.IOException;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says what kind of failure an exception stands for. Thread-safe.
 *
 * <p>By SQLSTATE and type, never by message text. An SQLSTATE of another database that a handler also talks to cannot
 * be told from one of its own transaction: a handler that should go on without that database, or stand still without
 * it, says so with an exception of its own ({@link UnavailableException}, {@link PermanentException}, …) or by a
 * {@link FailureClassifier}.
 */
public final class Classifier {
    private static final Logger LOG = LoggerFactory.getLogger(Classifier.class);

    /** Serialisation failure, deadlock, lock not available. */
    private static final Set<String> CONTENTION = Set.of("40001", "40P01", "55P03");

    /**
     * Read-only transaction: after a failover the address leads to a standby. 58030: the server's disk fails.
     *
     * <p>25P03, 25P04: a limit of the server's ended the session. A handler's own limit is the runtime's clock, which is
     * asked first and knows without them; so these are a setting, which would strike the next message as well. But not
     * 57014: a query cancelled under a statement_timeout that the handler set itself looks like one that an operator
     * cancelled, and what may be the message's doing must be counted, or it would be tried for ever.
     */
    private static final Set<String> INFRASTRUCTURE = Set.of("25006", "58030", "25P03", "25P04");

    private final @Nullable FailureClassifier custom;

    /** @param custom asked before the built-in rules, except for what is fatal; {@code null}: none */
    public Classifier(@Nullable FailureClassifier custom) {
        this.custom = custom;
    }

    /**
     * The class of what a handler threw or of what its statements, declared updates included, ended in.
     *
     * <p>The rules, the first that fits: fatal; the team's own classifier; the outermost of Onceward's signal exceptions
     * in the chain of causes; SQLSTATE; a connection not had or broken. Everything else is transient.
     */
    public FailureClass ofHandler(Throwable thrown) {
        // Not even the team's classifier is asked: a broken JVM is no matter of opinion.
        if (isFatal(thrown)) {
            return FailureClass.FATAL;
        }
        // By contract the cause inside decides.
        Throwable cause = thrown instanceof MessageFailedException ? Throwables.causeOf(thrown) : null;
        Throwable failure = cause != null ? cause : thrown;
        FailureClass own = askCustom(failure);
        return own != null ? own : builtIn(failure);
    }

    /**
     * The class of what one of Onceward's own statements ended in: contention, fatal, or else infrastructure. Nothing
     * that goes wrong there is ever blamed on a message.
     */
    public FailureClass ofRuntime(Throwable thrown) {
        if (isFatal(thrown)) {
            return FailureClass.FATAL;
        }
        return SqlStates.find(thrown).filter(CONTENTION::contains).isPresent()
                ? FailureClass.CONTENTION
                : FailureClass.INFRASTRUCTURE;
    }

    /** Whether the connection itself was lost: closed, refused, ended by the server; not an answer that it gave. */
    public static boolean isBrokenConnection(Throwable thrown) {
        return SqlStates.find(thrown)
                        .filter(state -> state.startsWith("08") || state.startsWith("57P"))
                        .isPresent()
                || Throwables.find(thrown, SQLException.class)
                        .filter(Classifier::isOfBrokenStream)
                        .isPresent();
    }

    /** Whether somebody said that something a handler depends on is not there. */
    public static boolean isUnavailable(Throwable thrown) {
        return Throwables.find(thrown, UnavailableException.class).isPresent();
    }

    /** The delay that a handler asked for, wherever its {@link RetryAfterException} stands in the chain of causes. */
    public static Optional<Duration> retryAfter(Throwable thrown) {
        return Throwables.find(thrown, RetryAfterException.class).map(RetryAfterException::delay);
    }

    /**
     * Thrown as such, or inside a mere carrier (of a future, of a reflective call). Deeper in the chain it does not
     * count: a library that caught it and threw an exception of its own went on living with it, as parsers do when a
     * size that they were told asks for too large an array.
     */
    private static boolean isFatal(Throwable thrown) {
        Throwable real = Throwables.uncarried(thrown);
        return real instanceof VirtualMachineError && !(real instanceof StackOverflowError);
    }

    private @Nullable FailureClass askCustom(Throwable failure) {
        if (custom == null) {
            return null;
        }
        try {
            return custom.classify(failure);
        } catch (Throwable e) { // an Error as well: of a class that is missing where only failures lead, say
            if (isFatal(e)) {
                return FailureClass.FATAL;
            }
            // The failure must be classified all the same, or the message would hang between two worlds.
            LOG.atError()
                    .setCause(Throwables.loggable(e))
                    .addKeyValue(EventNames.KEY, EventNames.CLASSIFIER_FAILED)
                    .addKeyValue("classifier", custom.getClass().getName())
                    .addKeyValue("failure", failure.getClass().getName())
                    .log("The failure classifier threw; the built-in rules decide");
            return null;
        }
    }

    private static FailureClass builtIn(Throwable failure) {
        for (Throwable cause : Throwables.causes(failure)) {
            if (cause instanceof UnavailableException) {
                return FailureClass.INFRASTRUCTURE;
            }
            if (cause instanceof PermanentException) {
                return FailureClass.PERMANENT;
            }
            if (cause instanceof RetryAfterException) {
                return FailureClass.TRANSIENT;
            }
            // A pool that timed out; its SQLSTATE, if it has one, is that of the last attempt to connect.
            if (cause instanceof SQLTransientConnectionException
                    || cause instanceof SQLNonTransientConnectionException) {
                return FailureClass.INFRASTRUCTURE;
            }
            if (cause instanceof SQLException sql && isOfBrokenStream(sql)) {
                return ofBrokenStream(sql);
            }
        }
        return SqlStates.find(failure).map(Classifier::ofState).orElse(FailureClass.TRANSIENT);
    }

    private static boolean isOfBrokenStream(SQLException sql) {
        return Throwables.causeOf(sql) instanceof IOException;
    }

    /**
     * An IOException under an SQLException is the broken socket of the connection, unless the driver blames a parameter:
     * then it is a stream that the handler wanted to store.
     */
    private static FailureClass ofBrokenStream(SQLException sql) {
        String state = Throwables.ask(sql::getSQLState);
        return state == null || state.isBlank() || ofState(state) == FailureClass.INFRASTRUCTURE
                ? FailureClass.INFRASTRUCTURE
                : FailureClass.TRANSIENT;
    }

    private static FailureClass ofState(String state) {
        if (CONTENTION.contains(state)) {
            return FailureClass.CONTENTION;
        }
        // 08: connection; 53: out of connections, memory, disk; 57P: shut down, crashed, starting, database gone.
        if (state.startsWith("08")
                || state.startsWith("53")
                || state.startsWith("57P")
                || INFRASTRUCTURE.contains(state)) {
            return FailureClass.INFRASTRUCTURE;
        }
        // 22: the data do not fit the statement, and the next attempt has the same data.
        return state.startsWith("22") ? FailureClass.PERMANENT : FailureClass.TRANSIENT;
    }
}
