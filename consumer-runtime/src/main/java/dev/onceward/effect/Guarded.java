package dev.onceward.effect;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A JDBC object behind its guard: refuses, prepares, forwards, and guards the answer. */
abstract class Guarded implements InvocationHandler {
    private static final Object[] NONE = {};

    final Guard guard;
    private final Object target;

    Guarded(Guard guard, Object target) {
        this.guard = guard;
        this.target = target;
    }

    /** Before the call reaches the driver. */
    abstract void before(String method, Object[] arguments) throws SQLException;

    @Override
    public final @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ofObject(proxy, name, arguments);
        }
        // try-with-resources and pools ask these of what is long over, and must not fail for it.
        if (guard.ended() && name.equals("isClosed")) {
            return true;
        }
        if (guard.ended() && (name.equals("close") || name.equals("free"))) {
            return null;
        }
        guard.check(name + "()");
        if (name.equals("unwrap") || name.equals("isWrapperFor")) {
            return unwrap(method, arguments);
        }
        before(name, arguments);
        Object answer = forward(method, unguarded(given));
        // Reading rows is what calls go into by the million.
        return method.getReturnType().isPrimitive() ? answer : guard.guard(answer);
    }

    /** The driver knows an array or a large object of its own by its class, and only that. */
    private static Object @Nullable [] unguarded(Object @Nullable [] arguments) {
        if (arguments != null) {
            for (int i = 0; i < arguments.length; i++) {
                arguments[i] = unguarded(arguments[i]);
            }
        }
        return arguments;
    }

    /** The value itself, or the driver's object behind its guard. */
    static Object unguarded(Object value) {
        return value instanceof Proxy && Proxy.getInvocationHandler(value) instanceof GuardedResult result
                ? result.target()
                : value;
    }

    final Object target() {
        return target;
    }

    /** Only what the team itself set up for its handles may reach the driver; to a handler nothing is wrapped here. */
    private @Nullable Object unwrap(Method method, Object[] arguments) throws Throwable {
        if (guard.trusting()) {
            return forward(method, arguments);
        }
        if (method.getName().equals("isWrapperFor")) {
            return false;
        }
        throw new IllegalStateException(Refusal.ofUnwrap());
    }

    private @Nullable Object forward(Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof SQLException error) {
                guard.failed(error);
            }
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private Object ofObject(Object proxy, String name, Object[] arguments) {
        return switch (name) {
            case "equals" -> proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "guarded " + target;
        };
    }

    /** @throws IllegalStateException if the text has transaction control in it */
    static void checkText(Guard guard, Object sql) {
        SqlText text = SqlText.of((String) sql);
        if (text.control() != null) {
            throw new IllegalStateException(Refusal.ofControl(text.control(), (String) sql));
        }
        if (text.doubtful()) {
            guard.doubt();
        }
        if (text.savepoint()) {
            guard.wantsSavepoint();
        }
    }
}
