package dev.onceward.effect;

import dev.onceward.failure.Throwables;
import java.io.Serial;
import java.util.OptionalInt;

/**
 * A declared update failed; the cause says how and decides the class of the failure. The transaction must be rolled back:
 * updates declared after this one were not run.
 */
public final class DeclaredUpdateException extends Exception {
    @Serial
    private static final long serialVersionUID = 1L;

    /** -1: not known. */
    private final int member;

    DeclaredUpdateException(OptionalInt member, Exception cause) {
        super("a declared update failed: " + Throwables.message(cause), cause);
        this.member = member.orElse(-1);
    }

    /** The member of the group that declared it; empty where the driver does not tell which of several it was. */
    public OptionalInt member() {
        return member < 0 ? OptionalInt.empty() : OptionalInt.of(member);
    }
}
