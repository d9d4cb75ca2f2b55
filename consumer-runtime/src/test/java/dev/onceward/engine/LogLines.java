package dev.onceward.engine;

import static java.util.stream.Collectors.joining;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What one class logs, with its key-value pairs, while a test runs. */
final class LogLines implements AutoCloseable {
    private final Logger source;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private LogLines(Class<?> source) {
        this.source = (Logger) LoggerFactory.getLogger(source);
        appender.start();
        this.source.addAppender(appender);
    }

    static LogLines of(Class<?> source) {
        return new LogLines(source);
    }

    /** Lines of the calling thread: {@code LEVEL {key=value, …} text}. */
    List<String> lines() {
        String here = Thread.currentThread().getName();
        return appender.list.stream()
                .filter(event -> event.getThreadName().equals(here))
                .map(event -> event.getLevel()
                        + " {"
                        + event.getKeyValuePairs().stream()
                                .map(pair -> pair.key + "=" + pair.value)
                                .collect(joining(", "))
                        + "} " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        source.detachAppender(appender);
    }
}
