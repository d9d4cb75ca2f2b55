package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.Filter;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterSource;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Progress;
import dev.onceward.dlq.topic.Payload;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Writes dead letters to a file, in their original order, each as soon as it is read.
 *
 * <p>Why an export that was interrupted may be gone on with: letters come in an order that does not change, as of an
 * instant that stands in the file, so the last letter written says exactly which are missing. What was replayed in the
 * meantime is missing from the rest, as it would be from an export that begins now. The end is written after everything in
 * front of it is safe on the disk: a file with an end lacks nothing.
 */
public final class ExportRun {
    private static final int PAGE = 500;
    /** Between being looked at once more and being written. */
    private static final int LETTERS_AT_ONCE = 50;
    /** In memory. */
    private static final long BYTES_AT_ONCE = 2L * 1024 * 1024;

    private final Connections connections;
    private final LetterSource source;
    private final Console console;
    private final Stop stop;
    private final ExportFile file;
    private final Problems problems;
    private final List<ExportLine.Entry> read = new ArrayList<>();
    private long readBytes;
    private long written;

    /** To a file, from where letters are looked up. */
    public ExportRun(Connections connections, LetterSource source, Console console, Stop stop, ExportFile file) {
        this.connections = connections;
        this.source = source;
        this.console = console;
        this.stop = stop;
        this.file = file;
        this.problems = new Problems(console);
    }

    /**
     * Runs to the end, or until it is stopped.
     *
     * @param consumer whose letters
     * @param filterAt the filter, with times that are counted from an instant
     * @throws RefusedException the file is the beginning of another export
     */
    public ExportResult run(String consumer, Function<Instant, Filter> filterAt) throws SQLException, IOException {
        ExportLine.Head found = file.head();
        Instant startedAt = found == null ? Instant.now() : found.startedAt();
        Filter filter = filterAt.apply(startedAt);
        ExportLine.Head head = found;
        if (head == null) {
            head = new ExportLine.Head(consumer, filter.toString(), startedAt, source.now(), source.knowsStatus());
            file.write(head);
            // From now on the file is seen to be an export, also by an erasure that must not touch it meanwhile.
            file.flush();
        } else {
            check(head, consumer, filter);
        }
        long before = file.letters();
        Progress progress = new Progress(console, "written", source.count(filter, head.asOf()));
        try (Copies copies = new Copies(connections)) {
            List<Letter> page = source.page(filter, head.asOf(), file.last(), PAGE);
            while (!page.isEmpty() && !stop.requested()) {
                write(consumer, page, copies, progress);
                page = source.page(filter, head.asOf(), page.get(page.size() - 1), PAGE);
            }
        } finally {
            progress.clear();
            file.sync();
        }
        boolean complete = !stop.requested();
        if (complete) {
            file.write(new ExportLine.End(file.letters()));
            file.sync();
        }
        return new ExportResult(written, before, file.lost(), complete);
    }

    private void check(ExportLine.Head head, String consumer, Filter filter) {
        String other = null;
        if (!head.consumer().equals(consumer)) {
            other = "it is of the consumer " + head.consumer() + ", not of " + consumer;
        } else if (!head.filter().equals(filter.toString())) {
            other = "it was begun with " + head.filter() + ", not with " + filter;
        } else if (head.knowsStatus() != source.knowsStatus()) {
            other = "its letters were looked up elsewhere: one is from the database, the other from the dead-letter"
                    + " topic alone";
        }
        if (other != null) {
            throw new RefusedException(file.name() + " is the beginning of another export: " + other
                    + ". Repeat that one to go on with it, name another file, or throw it away with --overwrite");
        }
    }

    private void write(String consumer, List<Letter> page, Copies copies, Progress progress)
            throws SQLException, IOException {
        copies.expect(page);
        List<String> stacktraces = source.stacktraces(page);
        for (int i = 0; i < page.size() && !stop.requested(); i++) {
            read(page.get(i), stacktraces.get(i), copies);
            if (read.size() >= LETTERS_AT_ONCE || readBytes >= BYTES_AT_ONCE) {
                writeWhatWasRead(consumer);
                progress.show(file.letters());
            }
        }
        writeWhatWasRead(consumer);
        progress.show(file.letters());
    }

    private void read(Letter letter, String stacktrace, Copies copies) {
        if (letter.history().erasedAt() != null) {
            // Whatever is left in the topic until retention removes it must not get out again.
            read.add(new ExportLine.Entry(letter, "", null, ExportLine.ERASED));
            return;
        }
        Payload payload = copies.read(letter);
        if (payload instanceof Payload.Found found) {
            ConsumerRecord<byte[], byte[]> copy = found.copy();
            ExportLine.Content content = new ExportLine.Content(
                    copy.key(), copy.value(), Arrays.asList(copy.headers().toArray()), copy.timestamp());
            read.add(new ExportLine.Entry(letter, stacktrace, content, null));
            readBytes += Math.max(0, copy.serializedValueSize()) + Math.max(0, copy.serializedKeySize());
        } else {
            read.add(new ExportLine.Entry(letter, stacktrace, null, ((Payload.Missing) payload).why()));
        }
        readBytes += stacktrace.length();
    }

    /**
     * Reading the topic takes a while, in which somebody may erase what is read, and be told that it is gone. So it is
     * looked at once more, few at a time, and what is written then does not stay in memory: an erasure that begins later
     * finds it in the file.
     */
    private void writeWhatWasRead(String consumer) throws SQLException, IOException {
        if (read.isEmpty()) {
            return;
        }
        List<Letter> letters = read.stream().map(ExportLine.Entry::letter).toList();
        Set<Integer> erased = source.knowsStatus() ? ErasedMeanwhile.among(connections, consumer, letters) : Set.of();
        for (int i = 0; i < read.size(); i++) {
            ExportLine.Entry entry = erased.contains(i) ? read.get(i).erased() : read.get(i);
            if (entry.isLost()) {
                problems.add(entry.letter().name() + " exported without payload: " + entry.missing());
            }
            file.write(entry);
            written++;
        }
        file.flush();
        read.clear();
        readBytes = 0;
    }
}
