package dev.onceward.dlq.connect;

import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.apache.kafka.common.errors.TimeoutException;

/** Why a Kafka client failed, in words for people: its own begin with what it was about to do inside. */
final class KafkaCauses {
    private KafkaCauses() {}

    /** From the outer to the innermost cause, without those that say nothing. */
    static String of(Throwable failure) {
        if (failure instanceof TimeoutException && isNoBroker(String.valueOf(failure.getMessage()))) {
            return "no broker answers there, or none with the security.protocol given";
        }
        List<Throwable> chain = new ArrayList<>();
        for (Throwable next = failure; next != null && !chain.contains(next); next = next.getCause()) {
            chain.add(next);
        }
        Deque<String> said = new ArrayDeque<>();
        for (int i = chain.size() - 1; i >= 0; i--) {
            String message = text(chain.get(i));
            // An outer one often repeats the text of its cause, with the name of its class.
            if (!message.isEmpty() && said.stream().noneMatch(message::contains)) {
                said.addFirst(message);
            }
        }
        return said.isEmpty() ? failure.getClass().getSimpleName() : String.join(": ", said);
    }

    private static boolean isNoBroker(String message) {
        return message.contains("node assignment") || message.contains("fetching topic metadata");
    }

    private static String text(Throwable failure) {
        String message = failure.getMessage();
        if (message == null
                || message.startsWith("Failed to create new ")
                || message.startsWith("Failed to construct")) {
            return "";
        }
        return failure instanceof NoSuchFileException ? "there is no file " + message : message;
    }
}
