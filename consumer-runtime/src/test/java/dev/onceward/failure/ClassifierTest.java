package dev.onceward.failure;

import static dev.onceward.handler.FailureClass.CONTENTION;
import static dev.onceward.handler.FailureClass.FATAL;
import static dev.onceward.handler.FailureClass.INFRASTRUCTURE;
import static dev.onceward.handler.FailureClass.PERMANENT;
import static dev.onceward.handler.FailureClass.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.handler.Coordinates;
import dev.onceward.handler.FailureClass;
import dev.onceward.handler.Message;
import dev.onceward.handler.MessageFailedException;
import dev.onceward.handler.PermanentException;
import dev.onceward.handler.RetryAfterException;
import dev.onceward.handler.UnavailableException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.net.ConnectException;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

class ClassifierTest {
    private final Classifier classifier = new Classifier(null);

    @ParameterizedTest
    @CsvSource({
        "40001, CONTENTION", // serialization_failure
        "40P01, CONTENTION", // deadlock_detected
        "55P03, CONTENTION", // lock_not_available
        "08000, INFRASTRUCTURE", // connection_exception
        "08001, INFRASTRUCTURE", // sqlclient_unable_to_establish_sqlconnection
        "08003, INFRASTRUCTURE", // connection_does_not_exist
        "08004, INFRASTRUCTURE", // sqlserver_rejected_establishment_of_sqlconnection
        "08006, INFRASTRUCTURE", // connection_failure
        "08007, INFRASTRUCTURE", // transaction_resolution_unknown
        "57P01, INFRASTRUCTURE", // admin_shutdown
        "57P02, INFRASTRUCTURE", // crash_shutdown
        "57P03, INFRASTRUCTURE", // cannot_connect_now
        "57P04, INFRASTRUCTURE", // database_dropped
        "57P05, INFRASTRUCTURE", // idle_session_timeout
        "25006, INFRASTRUCTURE", // read_only_sql_transaction
        "53000, INFRASTRUCTURE", // insufficient_resources
        "53100, INFRASTRUCTURE", // disk_full
        "53200, INFRASTRUCTURE", // out_of_memory
        "53300, INFRASTRUCTURE", // too_many_connections
        "58030, INFRASTRUCTURE", // io_error
        "57014, TRANSIENT", // query_canceled: under the handler's own statement_timeout, or by an operator
        "25P03, INFRASTRUCTURE", // idle_in_transaction_session_timeout
        "25P04, INFRASTRUCTURE", // transaction_timeout
        "22001, PERMANENT", // string_data_right_truncation
        "22003, PERMANENT", // numeric_value_out_of_range
        "22021, PERMANENT", // character_not_in_repertoire
        "22P02, PERMANENT", // invalid_text_representation
        "23502, TRANSIENT", // not_null_violation
        "23503, TRANSIENT", // foreign_key_violation: the other row may still come
        "23505, TRANSIENT", // unique_violation
        "23514, TRANSIENT", // check_violation
        "23P01, TRANSIENT", // exclusion_violation
        "25P02, TRANSIENT", // in_failed_sql_transaction
        "42601, TRANSIENT", // syntax_error
        "42P01, TRANSIENT", // undefined_table: a migration may be under way
        "42501, TRANSIENT", // insufficient_privilege
        "40002, TRANSIENT", // transaction_integrity_constraint_violation
        "P0001, TRANSIENT", // raise_exception
        "XX000, TRANSIENT", // internal_error
    })
    void goesBySqlState(String state, FailureClass expected) {
        SQLException failure = new SQLException("from the server", state);

        assertThat(classifier.ofHandler(failure)).isEqualTo(expected);
        assertThat(classifier.ofHandler(new UnableToExecuteStatementException(failure, null)))
                .isEqualTo(expected);
        assertThat(classifier.ofHandler(new IllegalStateException("handler's own", failure)))
                .isEqualTo(expected);
        assertThat(classifier.ofHandler(new ExecutionException(failure))).isEqualTo(expected);
        assertThat(classifier.ofHandler(new BatchUpdateException("batch", state, 0, new int[0], failure)))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({
        "40001, CONTENTION",
        "40P01, CONTENTION",
        "55P03, CONTENTION",
        "08006, INFRASTRUCTURE",
        "22001, INFRASTRUCTURE",
        "23505, INFRASTRUCTURE",
        "57014, INFRASTRUCTURE",
        "25P04, INFRASTRUCTURE",
        "42P01, INFRASTRUCTURE",
    })
    void neverBlamesAMessageForTheRuntimesOwnStatements(String state, FailureClass expected) {
        assertThat(classifier.ofRuntime(new SQLException("own", state))).isEqualTo(expected);
        assertThat(classifier.ofRuntime(new RuntimeException(new SQLException("own", state))))
                .isEqualTo(expected);
    }

    @Test
    void takesWhateverElseTheRuntimeMeetsForInfrastructure() {
        assertThat(classifier.ofRuntime(new IllegalStateException("pool closed")))
                .isEqualTo(INFRASTRUCTURE);
        assertThat(classifier.ofRuntime(new StackOverflowError())).isEqualTo(INFRASTRUCTURE);
        assertThat(classifier.ofRuntime(new PermanentException("not a handler")))
                .isEqualTo(INFRASTRUCTURE);
    }

    @ParameterizedTest
    @MethodSource
    void isFatalWhenTheJvmIsBroken(Throwable thrown) {
        assertThat(classifier.ofHandler(thrown)).isEqualTo(FATAL);
        assertThat(classifier.ofRuntime(thrown)).isEqualTo(FATAL);
        assertThat(new Classifier(failure -> PERMANENT).ofHandler(thrown)).isEqualTo(FATAL);
    }

    static Stream<Throwable> isFatalWhenTheJvmIsBroken() {
        return Stream.of(
                new OutOfMemoryError(),
                new InternalError(),
                new UnknownError(),
                new ExecutionException(new OutOfMemoryError()),
                new CompletionException(new OutOfMemoryError()),
                new InvocationTargetException(new OutOfMemoryError()),
                new UndeclaredThrowableException(new OutOfMemoryError()),
                new ExecutionException(new InvocationTargetException(new OutOfMemoryError())));
    }

    @ParameterizedTest
    @MethodSource
    void isTransientOtherwise(Throwable thrown) {
        assertThat(classifier.ofHandler(thrown)).isEqualTo(TRANSIENT);
    }

    static Stream<Throwable> isTransientOtherwise() {
        return Stream.of(
                new StackOverflowError(),
                new ExecutionException(new StackOverflowError()),
                new AssertionError("a bug"),
                new NoClassDefFoundError("a bad deployment"),
                new RuntimeException("a library gave up on a size", new OutOfMemoryError()),
                new InterruptedException(),
                new NullPointerException(),
                new TimeoutException(),
                new IOException("another service's socket"),
                new ConnectException("another service refuses"),
                new RuntimeException(new IOException("another service's socket")),
                new SQLException("no state"),
                new RetryAfterException(Duration.ofMinutes(1), "later"),
                new RetryAfterException(Duration.ofMinutes(1), "later", new SQLException("x", "22001")),
                new RuntimeException(new RetryAfterException(Duration.ZERO, "later")));
    }

    @ParameterizedTest
    @MethodSource
    void isInfrastructureWhenTheConnectionIsNotHadOrBreaks(Throwable thrown) {
        assertThat(classifier.ofHandler(thrown)).isEqualTo(INFRASTRUCTURE);
        assertThat(classifier.ofRuntime(thrown)).isEqualTo(INFRASTRUCTURE);
    }

    static Stream<Throwable> isInfrastructureWhenTheConnectionIsNotHadOrBreaks() {
        SQLException poolTimeout = new SQLTransientConnectionException("pool - Connection is not available");
        return Stream.of(
                poolTimeout,
                new SQLTransientConnectionException("pool - Connection is not available", "28P01"),
                new ConnectionException(poolTimeout),
                new PSQLException("I/O error", PSQLState.CONNECTION_FAILURE, new IOException("reset")),
                new UnableToExecuteStatementException(
                        new PSQLException("I/O error", null, new IOException("reset")), null),
                new SQLException("no state at all", new IOException("reset")));
    }

    @Test
    void takesABrokenStreamThatTheHandlerStoresForItsOwnFailure() {
        PSQLException failure = new PSQLException(
                "Unable to bind parameter values",
                PSQLState.INVALID_PARAMETER_VALUE,
                new IOException("upstream closed"));

        assertThat(classifier.ofHandler(failure)).isEqualTo(TRANSIENT);
    }

    @ParameterizedTest
    @MethodSource
    void obeysTheOutermostSignal(Throwable thrown, FailureClass expected) {
        assertThat(classifier.ofHandler(thrown)).isEqualTo(expected);
        assertThat(classifier.ofHandler(new RuntimeException("wrapped", thrown)))
                .isEqualTo(expected);
        assertThat(classifier.ofHandler(new ExecutionException(thrown))).isEqualTo(expected);
    }

    static Stream<Arguments> obeysTheOutermostSignal() {
        SQLException contention = new SQLException("deadlock", "40P01");
        return Stream.of(
                Arguments.of(new UnavailableException("bank is down"), INFRASTRUCTURE),
                Arguments.of(new UnavailableException("bank is down", new SQLException("x", "22001")), INFRASTRUCTURE),
                Arguments.of(new PermanentException("no such currency"), PERMANENT),
                Arguments.of(new PermanentException("given up", contention), PERMANENT),
                Arguments.of(new PermanentException("given up", new UnavailableException("down")), PERMANENT),
                Arguments.of(new UnavailableException("down", new PermanentException("gone")), INFRASTRUCTURE),
                Arguments.of(new RetryAfterException(Duration.ZERO, "later", contention), TRANSIENT));
    }

    @Test
    void takesTheClassOfAFailedMessageFromTheCause() {
        Message<String, String> message = new Message<>(
                "billing",
                "id-1",
                new Coordinates("t", 0, 0),
                Instant.EPOCH,
                null,
                null,
                new RecordHeaders(),
                1,
                false);

        assertThat(classifier.ofHandler(new MessageFailedException(message, new SQLException("x", "22P02"))))
                .isEqualTo(PERMANENT);
        assertThat(new Classifier(failure -> failure instanceof IOException ? PERMANENT : null)
                        .ofHandler(new MessageFailedException(message, new IOException())))
                .isEqualTo(PERMANENT);
    }

    @Test
    void asksTheTeamsClassifierFirst() {
        Classifier custom = new Classifier(failure -> failure instanceof UnavailableException ? PERMANENT : null);

        assertThat(custom.ofHandler(new UnavailableException("decommissioned"))).isEqualTo(PERMANENT);
        assertThat(custom.ofHandler(new SQLException("x", "40001"))).isEqualTo(CONTENTION);
    }

    @Test
    void doesNotAskTheTeamsClassifierAboutTheRuntimesOwnStatements() {
        assertThat(new Classifier(failure -> PERMANENT).ofRuntime(new SQLException("x", "22001")))
                .isEqualTo(INFRASTRUCTURE);
    }

    @Test
    void fallsBackToTheBuiltInRulesWhenTheTeamsClassifierThrows() {
        Classifier broken = new Classifier(failure -> {
            throw new IllegalStateException("a bug");
        });

        assertThat(broken.ofHandler(new SQLException("x", "40001"))).isEqualTo(CONTENTION);
    }

    @Test
    void fallsBackToTheBuiltInRulesWhenTheTeamsClassifierThrowsAnError() {
        Classifier broken = new Classifier(failure -> {
            throw new NoClassDefFoundError("com/vendor/SomeException");
        });

        assertThat(broken.ofHandler(new IllegalStateException())).isEqualTo(TRANSIENT);
        assertThat(broken.ofHandler(new SQLException("x", "22001"))).isEqualTo(PERMANENT);
    }

    @Test
    void classifiesAFailureThatThrowsWhenItIsAsked() {
        assertThat(classifier.ofHandler(new Odd())).isEqualTo(TRANSIENT);
        assertThat(classifier.ofHandler(new RuntimeException("around", new Odd())))
                .isEqualTo(TRANSIENT);
        assertThat(classifier.ofHandler(new OddSql())).isEqualTo(TRANSIENT);
        assertThat(classifier.ofRuntime(new OddSql())).isEqualTo(INFRASTRUCTURE);
        assertThat(Classifier.isBrokenConnection(new OddSql())).isFalse();
        assertThat(Classifier.isUnavailable(new Odd())).isFalse();
        assertThat(Classifier.retryAfter(new Odd())).isEmpty();
    }

    @Test
    void endsOnCausesMadeAnewEachTimeTheyAreAskedFor() {
        assertThat(classifier.ofHandler(new Endless())).isEqualTo(TRANSIENT);
    }

    @SuppressWarnings("serial")
    private static final class Odd extends RuntimeException {
        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("lazy cause not available");
        }
    }

    @SuppressWarnings("serial")
    private static final class Endless extends RuntimeException {
        @Override
        public synchronized Throwable getCause() {
            return new Endless();
        }
    }

    @SuppressWarnings("serial")
    private static final class OddSql extends SQLException {
        @Override
        public String getSQLState() {
            throw new NoClassDefFoundError("state");
        }

        @Override
        public SQLException getNextException() {
            throw new IllegalStateException("next");
        }
    }

    @Test
    void endsOnACircleOfCauses() {
        RuntimeException outer = new RuntimeException("outer");
        outer.initCause(new RuntimeException("inner", outer));

        assertThat(classifier.ofHandler(outer)).isEqualTo(TRANSIENT);
        assertThat(classifier.ofRuntime(outer)).isEqualTo(INFRASTRUCTURE);
    }

    @Test
    void findsTheDelayAHandlerAskedFor() {
        RetryAfterException signal = new RetryAfterException(Duration.ofSeconds(7), "rate limited");

        assertThat(Classifier.retryAfter(new ExecutionException(signal))).contains(Duration.ofSeconds(7));
        assertThat(Classifier.retryAfter(new IOException())).isEmpty();
    }
}
