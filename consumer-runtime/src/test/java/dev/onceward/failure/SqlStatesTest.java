package dev.onceward.failure;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.BatchUpdateException;
import java.sql.SQLException;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.Test;

class SqlStatesTest {

    @Test
    void isEmptyWithoutAnySqlException() {
        assertThat(SqlStates.find(new IllegalStateException(new RuntimeException())))
                .isEmpty();
    }

    @Test
    void isEmptyWhereTheStateIsMissingOrBlank() {
        assertThat(SqlStates.find(new SQLException("no state", (String) null))).isEmpty();
        assertThat(SqlStates.find(new SQLException("blank", " "))).isEmpty();
    }

    @Test
    void looksThroughCauses() {
        Throwable wrapped = new IllegalStateException(new ExecutionException(new SQLException("inner", "40P01")));

        assertThat(SqlStates.find(wrapped)).contains("40P01");
    }

    @Test
    void looksThroughNextExceptionsAndTheirCauses() {
        SQLException first = new SQLException("batch", (String) null);
        SQLException second = new SQLException("second", (String) null);
        second.initCause(new SQLException("reason", "23505"));
        first.setNextException(second);

        assertThat(SqlStates.find(new RuntimeException(first))).contains("23505");
    }

    @Test
    void prefersTheOuterStateThenNextExceptionsThenCauses() {
        SQLException outer = new SQLException("outer", "22001", new SQLException("cause", "08006"));
        outer.setNextException(new SQLException("next", "23505"));
        assertThat(SqlStates.find(outer)).contains("22001");

        SQLException stateless = new SQLException("outer", null, new SQLException("cause", "08006"));
        stateless.setNextException(new SQLException("next", "23505"));
        assertThat(SqlStates.find(stateless)).contains("23505");
    }

    @Test
    void readsBatchUpdateExceptions() {
        assertThat(SqlStates.find(new BatchUpdateException("batch", "40001", 0, new int[] {1, -3})))
                .contains("40001");
    }

    @Test
    void takesTheErrorThatFailedTheTransactionNotTheOnesAfterIt() {
        SQLException aborted =
                new SQLException("current transaction is aborted", "25P02", new SQLException("x", "40P01"));

        assertThat(SqlStates.find(aborted)).contains("40P01");
    }

    @Test
    void takesTheAbortedTransactionWhereNothingElseIsKnown() {
        assertThat(SqlStates.find(new RuntimeException(new SQLException("current transaction is aborted", "25P02"))))
                .contains("25P02");
    }

    @Test
    void ignoresSuppressedExceptions() {
        Exception failure = new IllegalStateException("handler");
        failure.addSuppressed(new SQLException("while closing", "08006"));

        assertThat(SqlStates.find(failure)).isEmpty();
    }

    @Test
    void endsOnACircleOfCauses() {
        RuntimeException outer = new RuntimeException("outer");
        RuntimeException inner = new RuntimeException("inner", outer);
        outer.initCause(inner);

        assertThat(SqlStates.find(outer)).isEmpty();
    }

    @Test
    void endsOnACircleThroughNextExceptionsAndCauses() {
        SQLException first = new SQLException("first", (String) null);
        SQLException second = new SQLException("second", null, first);
        first.setNextException(second);

        assertThat(SqlStates.find(first)).isEmpty();
    }
}
