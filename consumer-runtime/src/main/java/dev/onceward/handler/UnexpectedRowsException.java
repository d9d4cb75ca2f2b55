package dev.onceward.handler;

import java.io.Serial;

/** A declared update touched another number of rows than {@link Effect#updateExpecting} asked for. Counted as failed. */
public class UnexpectedRowsException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final long expected;
    private final long actual;

    /**
     * @param sql the declared statement
     * @param expected how many rows it was to touch
     * @param actual how many rows it touched
     */
    public UnexpectedRowsException(String sql, long expected, long actual) {
        super("expected " + expected + " row(s), touched " + actual + ": " + sql);
        this.expected = expected;
        this.actual = actual;
    }

    /** How many rows the update was to touch. */
    public long expected() {
        return expected;
    }

    /** How many rows it touched. */
    public long actual() {
        return actual;
    }
}
