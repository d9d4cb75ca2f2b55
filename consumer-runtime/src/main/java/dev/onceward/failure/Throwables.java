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

/** Walks through causes. */
final class Throwables {

    private Throwables() {}

    /** The throwable and its causes, from the outside in; ends where a cycle begins. */
    static List<Throwable> causes(Throwable throwable) {
        List<Throwable> causes = new ArrayList<>();
        Set<Throwable> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Throwable t = throwable; t != null && seen.add(t); t = t.getCause()) {
            causes.add(t);
        }
        return causes;
    }

    /** The outermost of this type, the throwable itself included. */
    static <T extends Throwable> Optional<T> find(Throwable throwable, Class<T> type) {
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
        for (Throwable t : causes(throwable)) {
            boolean carrier = t instanceof ExecutionException
                    || t instanceof CompletionException
                    || t instanceof InvocationTargetException
                    || t instanceof UndeclaredThrowableException;
            if (!carrier || t.getCause() == null) {
                return t;
            }
        }
        return throwable;
    }
}
