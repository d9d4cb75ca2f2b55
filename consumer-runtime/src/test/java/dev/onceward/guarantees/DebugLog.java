package dev.onceward.guarantees;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.LoggerFactory;

/** Everything that some loggers say at DEBUG, and the driver to {@code java.util.logging}; not on the console. */
final class DebugLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {
    private final Queue<String> lines = new ConcurrentLinkedQueue<>();
    private final List<Runnable> undo = new ArrayList<>();

    private DebugLog() {}

    static DebugLog of(String... names) {
        DebugLog log = new DebugLog();
        log.start();
        for (String name : names) {
            log.listenTo((Logger) LoggerFactory.getLogger(name));
            log.listenTo(java.util.logging.Logger.getLogger(name));
        }
        return log;
    }

    private void listenTo(Logger logger) {
        Level before = logger.getLevel();
        logger.setLevel(Level.DEBUG);
        logger.setAdditive(false);
        logger.addAppender(this);
        undo.add(() -> {
            logger.detachAppender(this);
            logger.setAdditive(true);
            logger.setLevel(before);
        });
    }

    private void listenTo(java.util.logging.Logger logger) {
        java.util.logging.Level before = logger.getLevel();
        Handler handler = new Lines();
        logger.setLevel(java.util.logging.Level.ALL);
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        undo.add(() -> {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
            logger.setLevel(before);
        });
    }

    @Override
    protected void append(ILoggingEvent event) {
        lines.add(event.getFormattedMessage() + " " + event.getKeyValuePairs());
        IThrowableProxy thrown = event.getThrowableProxy();
        if (thrown != null) {
            lines.add(ThrowableProxyUtil.asString(thrown));
        }
    }

    Collection<String> lines() {
        return List.copyOf(lines);
    }

    String text() {
        return String.join("\n", lines);
    }

    @Override
    public void close() {
        undo.forEach(Runnable::run);
    }

    /** What Java's own logging says, as it would be written. */
    private final class Lines extends Handler {
        @Override
        public void publish(LogRecord line) {
            lines.add(new SimpleFormatter().format(line));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }
}
