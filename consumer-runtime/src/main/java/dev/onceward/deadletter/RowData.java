package dev.onceward.deadletter;

import dev.onceward.failure.Throwables;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

/**
 * Takes out of an error's message what the server and JDBI put there of the data: "Failing row contains (…)", the
 * parameters of a statement. It is the payload, and a dead letter's texts are shown to people and written to logs.
 */
final class RowData {
    private static final String LEFT_OUT = "(data left out)";
    private static final String JDBI = "org.jdbi.";
    private static final String JDBI_ARGUMENTS = ", arguments:";

    private RowData() {}

    /** The message of {@code failure}, also where it repeats the message of one of its causes. */
    static String leftOut(String message, Throwable failure) {
        String text = message;
        boolean jdbi = false;
        for (Throwable cause : Throwables.causes(failure)) {
            jdbi |= cause.getClass().getName().startsWith(JDBI);
            for (String data : dataOf(cause)) {
                text = text.replace(data, LEFT_OUT);
            }
        }
        int arguments = jdbi ? text.indexOf(JDBI_ARGUMENTS) : -1;
        return arguments < 0 ? text : text.substring(0, arguments) + ", " + LEFT_OUT;
    }

    private static List<String> dataOf(Throwable failure) {
        List<String> data = new ArrayList<>();
        if (failure instanceof PSQLException answer && answer.getServerErrorMessage() != null) {
            ServerErrorMessage error = answer.getServerErrorMessage();
            add(data, error.getDetail());
            add(data, error.getWhere());
        }
        return data;
    }

    private static void add(List<String> data, @Nullable String text) {
        if (text != null && !text.isBlank()) {
            data.add(text);
        }
    }
}
