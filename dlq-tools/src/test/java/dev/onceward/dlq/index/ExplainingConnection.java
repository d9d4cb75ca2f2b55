package dev.onceward.dlq.index;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A connection that has the server explain each query before it runs it: as it is, with its values and settings. */
final class ExplainingConnection {
    private final Connection real;
    private final List<String> plans = new ArrayList<>();

    ExplainingConnection(Connection real) {
        this.real = real;
    }

    Connection connection() {
        return proxy(Connection.class, (self, method, arguments) -> {
            Object result = invoke(real, method, arguments);
            return result instanceof PreparedStatement statement ? explaining(statement) : result;
        });
    }

    /** What was explained since this was last asked for, in order. */
    List<String> plans() {
        List<String> all = List.copyOf(plans);
        plans.clear();
        return all;
    }

    private PreparedStatement explaining(PreparedStatement statement) {
        return proxy(PreparedStatement.class, (self, method, arguments) -> {
            if (method.getName().equals("executeQuery")) {
                plans.add(explain(statement));
            }
            return invoke(statement, method, arguments);
        });
    }

    /** The driver's statement says itself with its values in their places. */
    private String explain(PreparedStatement prepared) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Statement statement = real.createStatement();
                ResultSet line = statement.executeQuery("EXPLAIN " + prepared)) {
            while (line.next()) {
                plan.append(line.getString(1)).append('\n');
            }
        }
        return plan.toString();
    }

    @SuppressWarnings("NullAway") // none is given where there are none
    private static @Nullable Object invoke(Object target, Method method, Object @Nullable [] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(ExplainingConnection.class.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
