package dev.onceward.guarantees;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.handler.MessageHandler;
import dev.onceward.runtime.ConsumerRuntime;
import dev.onceward.runtime.RuntimeState;
import java.sql.SQLException;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Nothing lost, bounded: whatever a message's failure looks like, it is counted and ends as a dead letter. */
class OddFailuresIT {
    private final Ledger ledger = new Ledger(1);

    @AfterEach
    void close() {
        ledger.close();
    }

    @ParameterizedTest
    @MethodSource
    void aFailureThatIsHardToReadIsAFailureOfItsMessage(Supplier<RuntimeException> odd) {
        ConsumerRuntime runtime = ledger.start(failingWith(odd));
        ledger.send("a", "bad", "1");
        ledger.send("b", "m1", "1");
        ledger.flush();

        Ledger.await().until(() -> ledger.deadLetters() == 1 && ledger.entries() == 1);
        assertThat(ledger.texts("SELECT reason || ' ' || attempts FROM dead_letters"))
                .containsExactly("ATTEMPTS_EXHAUSTED 5");
        assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
    }

    static Stream<Named<Supplier<RuntimeException>>> aFailureThatIsHardToReadIsAFailureOfItsMessage() {
        return Stream.of(
                Named.of("its getCause() throws", NoCause::new),
                Named.of("its getMessage() and toString() throw", NoText::new),
                Named.of("its causes go in circles", OddFailuresIT::circle));
    }

    /** A database that is away is no failure of the message: it waits, and other keys go on. */
    @Test
    void aLostConnectionInACircleOfCausesIsFound() {
        ledger.start(failingWith(() -> {
            RuntimeException outer = new IllegalStateException("outer");
            SQLException inner = new SQLException("another database is away", "08006");
            outer.initCause(inner);
            inner.initCause(outer);
            return outer;
        }));
        ledger.send("a", "bad", "1");
        ledger.send("b", "m1", "1");
        ledger.flush();

        Ledger.await().until(() -> ledger.entries() == 1);
        assertThat(ledger.count("SELECT count(*) FROM message_attempts")).isZero();
        assertThat(ledger.count("SELECT count(*) FROM dead_letters")).isZero();
    }

    @Test
    void aClassifierThatEndsInAnErrorLeavesTheDecisionToTheBuiltInRules() {
        ConsumerRuntime runtime = ledger.start(
                ledger.consumer().failureClassifier(failure -> {
                    throw new NoClassDefFoundError("com/vendor/SomeException");
                }),
                failingWith(IllegalStateException::new));
        ledger.send("a", "bad", "1");
        ledger.send("b", "m1", "1");
        ledger.flush();

        Ledger.await().until(() -> ledger.deadLetters() == 1 && ledger.entries() == 1);
        assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
    }

    @Test
    void aDeserialiserThatInterruptsItselfFailsItsRecordOnly() {
        Deserializer<String> odd = (topic, data) -> {
            String text = new String(data, UTF_8);
            if (text.equals("bad")) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException("gave up waiting for a schema");
            }
            return text;
        };
        ConsumerRuntime runtime = ledger.started(ledger.consumer()
                .handle(ledger.topic, new StringDeserializer(), odd, Ledger.HANDLER)
                .start());
        ledger.send("a", "m1", "bad");
        ledger.send("b", "m2", "1");
        ledger.flush();

        Ledger.await().until(() -> ledger.deadLetters() == 1 && ledger.entries() == 1);
        assertThat(ledger.texts("SELECT reason || ' ' || attempts FROM dead_letters"))
                .containsExactly("ATTEMPTS_EXHAUSTED 5");
        assertThat(runtime.state()).isEqualTo(RuntimeState.RUNNING);
    }

    private static MessageHandler<String, String> failingWith(Supplier<RuntimeException> failure) {
        return (message, effect) -> {
            if (message.id().equals("bad")) {
                throw failure.get();
            }
            Ledger.HANDLER.handle(message, effect);
        };
    }

    private static RuntimeException circle() {
        RuntimeException outer = new IllegalStateException("outer");
        outer.initCause(new IllegalArgumentException("inner", outer));
        return outer;
    }

    @SuppressWarnings("serial")
    private static final class NoCause extends RuntimeException {
        @Override
        public synchronized Throwable getCause() {
            throw new IllegalStateException("lazy cause not available");
        }
    }

    @SuppressWarnings("serial")
    private static final class NoText extends RuntimeException {
        @Override
        public String getMessage() {
            throw new NoClassDefFoundError("com/vendor/Texts");
        }

        @Override
        public String toString() {
            throw new IllegalStateException("no text");
        }
    }
}
