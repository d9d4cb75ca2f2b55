package dev.onceward.failure;

import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds the SQLSTATE that says what went wrong, however deep a library wrapped it. */
public final class SqlStates {

    /** "Current transaction is aborted": what every statement gets after the one that really failed. */
    private static final String IN_FAILED_TRANSACTION = "25P02";

    /** More than that are made anew each time they are asked for. */
    private static final int MOST = 1_000;

    private SqlStates() {}

    /**
     * The first SQLSTATE met from the outside in: of the exception itself, then of its next exceptions, then of its
     * causes. 25P02 is taken only if there is no other: the driver hands the error that failed the transaction along as
     * its cause, and that one tells more. Suppressed exceptions are not looked at: they came later, while cleaning up.
     */
    public static Optional<String> find(Throwable failure) {
        Optional<String> symptom = Optional.empty();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        Deque<Throwable> open = new ArrayDeque<>();
        open.push(failure);
        while (!open.isEmpty() && seen.size() < MOST) {
            Throwable throwable = open.pop();
            // Chains of exceptions can be circular: some libraries link two failures to each other.
            if (!seen.add(throwable)) {
                continue;
            }
            push(open, Throwables.causeOf(throwable));
            if (throwable instanceof SQLException sql) {
                String state = Throwables.ask(sql::getSQLState);
                if (state != null && !state.isBlank()) {
                    if (!state.equals(IN_FAILED_TRANSACTION)) {
                        return Optional.of(state);
                    }
                    symptom = Optional.of(state);
                }
                push(open, Throwables.ask(sql::getNextException));
            }
        }
        return symptom;
    }

    private static void push(Deque<Throwable> open, @Nullable Throwable next) {
        if (next != null) {
            open.push(next);
        }
    }
}
