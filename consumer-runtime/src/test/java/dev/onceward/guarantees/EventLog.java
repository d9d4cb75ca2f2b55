package dev.onceward.guarantees;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.onceward.catalog.EventNames;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** The events that the runtimes of one consumer log: threads of a runtime carry its consumer's name. */
final class EventLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private static final Logger SOURCE = (Logger) LoggerFactory.getLogger("dev.onceward");

    private final String consumer;
    private final Queue<String> events = new ConcurrentLinkedQueue<>();
    private final Queue<String> messages = new ConcurrentLinkedQueue<>();

    private EventLog(String consumer) {
        this.consumer = consumer;
    }

    static EventLog of(String consumer) {
        EventLog log = new EventLog(consumer);
        log.setContext(SOURCE.getLoggerContext());
        log.start();
        SOURCE.addAppender(log);
        return log;
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (!event.getThreadName().contains(consumer)) {
            return;
        }
        messages.add(event.getFormattedMessage());
        if (event.getKeyValuePairs() != null) {
            for (KeyValuePair pair : event.getKeyValuePairs()) {
                if (EventNames.KEY.equals(pair.key)) {
                    events.add(String.valueOf(pair.value));
                }
            }
        }
    }

    /** How often an event was logged so far. */
    long count(EventNames event) {
        return events.stream().filter(event.toString()::equals).count();
    }

    /** Whether a message with this text was logged. */
    boolean saw(String text) {
        return messages.stream().anyMatch(message -> message.contains(text));
    }

    @Override
    public void close() {
        SOURCE.detachAppender(this);
    }
}
