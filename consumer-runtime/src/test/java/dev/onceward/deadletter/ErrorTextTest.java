package dev.onceward.deadletter;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.Serial;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

class ErrorTextTest {

    @Test
    void namesTheRootCause() {
        ErrorText text = ErrorText.of(
                new IllegalStateException("handler failed", new RuntimeException(new SQLException("no such account"))));

        assertThat(text.errorClass()).isEqualTo("java.sql.SQLException");
        assertThat(text.message()).isEqualTo("no such account");
        assertThat(text.stacktrace())
                .startsWith(
                        "java.lang.IllegalStateException: handler failed\n\tat dev.onceward.deadletter.ErrorTextTest.")
                .contains("\nCaused by: java.lang.RuntimeException: ")
                .contains("\nCaused by: java.sql.SQLException: no such account\n\tat ");
    }

    @Test
    void takesTheNearestMessageThereIs() {
        assertThat(ErrorText.of(new IllegalStateException("outer", new NullPointerException())))
                .extracting(ErrorText::errorClass, ErrorText::message)
                .containsExactly("java.lang.NullPointerException", "outer");
        assertThat(ErrorText.of(new NullPointerException()).message()).isEmpty();
    }

    @Test
    void isFitForTheDatabaseAndTheTerminal() {
        ErrorText text = ErrorText.of(new RuntimeException("a\u0000b\nERROR forged\uD83D"));

        assertThat(text.message()).isEqualTo("a\\u0000b\\nERROR forged\uFFFD");
        assertThat(text.stacktrace())
                .startsWith("java.lang.RuntimeException: a\\u0000b\\nERROR forged\uFFFD\n")
                .doesNotContain("\u0000")
                .doesNotContain("\r");
    }

    @Test
    void isBounded() {
        Throwable failure = new RuntimeException("€".repeat(1_000_000));
        for (int i = 0; i < 30; i++) {
            failure = new RuntimeException("x".repeat(5_000), failure);
        }
        ErrorText text = ErrorText.of(failure);

        assertThat(SafeText.utf8Length(text.message()))
                .isBetween(ErrorText.MAX_MESSAGE_BYTES - 3, ErrorText.MAX_MESSAGE_BYTES);
        assertThat(SafeText.utf8Length(text.stacktrace())).isLessThanOrEqualTo(ErrorText.MAX_STACKTRACE_BYTES);
    }

    @Test
    void theRootCauseIsShownHoweverDeepTheStack() {
        Throwable failure = deep(500, new IllegalArgumentException("the reason"));
        for (int i = 0; i < 10; i++) {
            failure = deep(200, new RuntimeException("layer " + i, failure));
        }
        ErrorText text = ErrorText.of(failure);

        assertThat(text.stacktrace())
                .contains("layer 9", "layer 0", "Caused by: java.lang.IllegalArgumentException: the reason\n\tat ")
                .contains(" more\n");
        assertThat(SafeText.utf8Length(text.stacktrace())).isLessThanOrEqualTo(ErrorText.MAX_STACKTRACE_BYTES);
    }

    private static Throwable deep(int frames, Throwable failure) {
        StackTraceElement[] trace = new StackTraceElement[frames];
        for (int i = 0; i < frames; i++) {
            trace[i] =
                    new StackTraceElement("com.example.service.SomeClassWithALongName", "method" + i, "Some.java", i);
        }
        failure.setStackTrace(trace);
        return failure;
    }

    @Test
    void showsWhatWasSuppressed() {
        RuntimeException failure = new RuntimeException("first");
        failure.addSuppressed(new IllegalStateException("while closing"));

        assertThat(ErrorText.of(failure).stacktrace())
                .contains("\tSuppressed: java.lang.IllegalStateException: while closing\n");
    }

    @Test
    void survivesCausesThatGoInCircles() {
        RuntimeException first = new RuntimeException("first");
        RuntimeException second = new RuntimeException("second", first);
        first.initCause(second);

        assertThat(ErrorText.of(first).message()).isEqualTo("second");
    }

    @Test
    void survivesAnExceptionThatThrows() {
        ErrorText text = ErrorText.of(new Broken());

        assertThat(text.errorClass()).isEqualTo(Broken.class.getName());
        assertThat(text.message()).isEqualTo("(its getMessage() failed with java.lang.IllegalStateException)");
        assertThat(text.stacktrace()).startsWith(Broken.class.getName());
    }

    @Test
    void survivesAnErrorFromAnException() {
        ErrorText text = ErrorText.of(new RuntimeException("around", new Missing()));

        assertThat(text.errorClass()).isEqualTo(Missing.class.getName());
        assertThat(text.message()).contains("its getMessage() failed with java.lang.NoClassDefFoundError");
        assertThat(text.stacktrace()).contains("around").contains("Caused by: " + Missing.class.getName());
    }

    private static final class Missing extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("com/vendor/Texts");
        }

        @Override
        public String toString() {
            throw new NoClassDefFoundError("com/vendor/Texts");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new NoClassDefFoundError("com/vendor/Texts");
        }
    }

    private static final class Broken extends RuntimeException {
        @Serial
        private static final long serialVersionUID = 1L;

        @Override
        public String getMessage() {
            throw new IllegalStateException("no message");
        }

        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("no cause");
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            throw new IllegalStateException("no trace");
        }
    }

    @Test
    void aDecisionWithoutAnExceptionHasNoTrace() {
        assertThat(ErrorText.of("dev.onceward.IdReused", "another\npayload"))
                .isEqualTo(new ErrorText("dev.onceward.IdReused", "another\\npayload", ""));
    }

    @Test
    void dataOfTheRowIsLeftOut() {
        PSQLException answer = new PSQLException(new ServerErrorMessage(
                "SERROR\0VERROR\0C23514\0Mnew row violates a check\0DFailing row contains (secret).\0"));
        ErrorText text = ErrorText.of(new IllegalStateException("wrapped: " + answer.getMessage(), answer));

        assertThat(text.message()).contains("new row violates a check").doesNotContain("secret");
        assertThat(text.stacktrace()).contains("new row violates a check").doesNotContain("secret");
    }
}
