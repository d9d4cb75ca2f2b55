package dev.onceward.engine;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** Thousands of simulated workers would fill the log. Of the whole JVM: its tests run alone. */
final class SilentLog implements BeforeAllCallback, AfterAllCallback {
    private static final Logger LOG = (Logger) LoggerFactory.getLogger("dev.onceward");

    private Level level;

    @Override
    public void beforeAll(ExtensionContext context) {
        level = LOG.getLevel();
        LOG.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        LOG.setLevel(level);
    }
}
