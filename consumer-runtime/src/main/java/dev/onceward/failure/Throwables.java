package dev.onceward.failure;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads what a team's code threw. An exception is that team's code too: its causes may go in circles, and its accessors
 * may be overridden and throw. Whoever asked it directly on a lane's thread would die of it, and the message would be
 * neither counted nor given up: so everything on the path of a failure asks here. Nothing here throws.
 */
public final class Throwables {

    /** A chain this long comes from a cause that is made anew each time it is asked for. */
    private static final int MAX_CAUSES = 1_000;

    private Throwables() {}

    /** The throwable and its causes, from the outside in; ends where a cycle begins or a cause cannot be had. */
    public static List<Throwable> causes(Throwable throwable) {
        List<Throwable> causes = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable t = throwable; t != null && seen.add(t) && causes.size() < MAX_CAUSES; t = causeOf(t)) {
            causes.add(t);
        }
        return causes;
    }

    /** The cause; {@code null}: none, or it cannot be had. */
    public static @Nullable Throwable causeOf(Throwable throwable) {
        return ask(throwable::getCause);
    }

    /** Class and message, as {@link Throwable#toString()} gives them; the class alone where that throws. */
    public static String text(Throwable throwable) {
        String text = ask(throwable::toString);
        return text != null ? text : throwable.getClass().getName();
    }

    /** The message, or else what {@link #text} says. */
    public static String message(Throwable throwable) {
        String message = ask(throwable::getMessage);
        return message != null ? message : text(throwable);
    }

    /** For a log event: the throwable itself, or a stand-in where a logger that prints it would get an exception. */
    public static Throwable loggable(Throwable throwable) {
        for (Throwable t : causes(throwable)) {
            try {
                String text = t.toString() + t.getLocalizedMessage() + t.getCause();
                if (t.getStackTrace() == null || text.isEmpty()) {
                    return standIn(throwable);
                }
            } catch (Throwable broken) {
                return standIn(throwable);
            }
        }
        return throwable;
    }

    private static Throwable standIn(Throwable throwable) {
        return new IllegalStateException(
                throwable.getClass().getName() + ", which cannot be printed: its own methods throw");
    }

    /** As {@link Throwable#addSuppressed}, also where both are the same. */
    public static void suppress(Throwable failure, Throwable later) {
        if (failure != later) {
            failure.addSuppressed(later);
        }
    }

    /** An answer, or {@code null} where giving it failed with whatever. */
    static <T> @Nullable T ask(Supplier<@Nullable T> accessor) {
        try {
            return accessor.get();
        } catch (Throwable broken) { // a linkage error as well, or what was thrown past the compiler
            return null;
        }
    }

    /** The outermost of this type, the throwable itself included. */
    public static <T extends Throwable> Optional<T> find(Throwable throwable, Class<T> type) {
        return causes(throwable).stream()
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst();
    }

    /**
     * What was really thrown, inside exceptions that only carry another thread's or a reflective call's throwable to
     * the caller and say nothing of their own.
     */
    static Throwable uncarried(Throwable throwable) {
        Throwable last = throwable;
        for (Throwable t : causes(throwable)) {
            last = t;
            boolean carrier = t instanceof ExecutionException
                    || t instanceof CompletionException
                    || t instanceof InvocationTargetException
                    || t instanceof UndeclaredThrowableException;
            if (!carrier) {
                return t;
            }
        }
        return last;
    }
}
