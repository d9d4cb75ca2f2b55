package dev.onceward.chaos;

import dev.onceward.catalog.EventNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the workers say: kept for reading, and events counted to tell what happened. No verdict rests on the runtime's words;
 * what their JVMs hold is judged.
 */
final class WorkerLogs implements AutoCloseable {
    private static final Pattern EVENT = Pattern.compile("\\b" + EventNames.KEY + "=\"(\\w+)\"");

    private final Path directory;
    private final Map<String, LongAdder> events = new ConcurrentHashMap<>();
    private final NothingGrows growth = new NothingGrows();
    private final List<PrintWriter> writers = new CopyOnWriteArrayList<>();

    WorkerLogs(Path directory) {
        this.directory = directory;
    }

    Path directory() {
        return directory;
    }

    /** Takes the lines of one worker. */
    Consumer<String> of(String workerId) {
        PrintWriter writer;
        try {
            writer = new PrintWriter(Files.newBufferedWriter(directory.resolve(workerId + ".log")), true);
        } catch (IOException e) {
            throw new UncheckedIOException("The log of " + workerId + " cannot be written", e);
        }
        writers.add(writer);
        return line -> {
            writer.println(line);
            Vitals.parse(line).ifPresent(vitals -> growth.tell(workerId, vitals));
            Matcher event = EVENT.matcher(line);
            if (event.find()) {
                events.computeIfAbsent(event.group(1), name -> new LongAdder()).increment();
            }
        };
    }

    long count(EventNames event) {
        LongAdder count = events.get(event.event());
        return count == null ? 0 : count.sum();
    }

    /** What the workers held in the course of time. */
    NothingGrows growth() {
        return growth;
    }

    @Override
    public void close() {
        writers.forEach(PrintWriter::close);
    }
}
