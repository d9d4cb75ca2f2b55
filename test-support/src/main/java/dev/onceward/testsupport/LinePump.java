package dev.onceward.testsupport;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Hands the lines of a process to a listener until the process closes its side. */
final class LinePump {

    private static final Logger LOG = LoggerFactory.getLogger(LinePump.class);

    private LinePump() {}

    static CompletableFuture<Void> start(String name, InputStream in, Consumer<String> listener) {
        CompletableFuture<Void> finished = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try (BufferedReader reader =
                            new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
                        reader.lines().forEach(line -> deliver(name, listener, line));
                    } catch (IOException | RuntimeException e) {
                        // What a killed process has not written out cannot be had.
                        LOG.debug("{} ended", name, e);
                    } finally {
                        finished.complete(null);
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
        return finished;
    }

    /** A listener that fails at one line gets the next one all the same: a full pipe would hold the process. */
    private static void deliver(String name, Consumer<String> listener, String line) {
        try {
            listener.accept(line);
        } catch (RuntimeException | AssertionError e) {
            LOG.error("A listener of {} failed at the line: {}", name, line, e);
        }
    }
}
