package dev.onceward.dlq.transfer;

import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.exit.Stop;
import dev.onceward.dlq.index.Letter;
import dev.onceward.dlq.index.LetterLookup;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Progress;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Puts letters of a file back whose payload, or whose row, is gone. Never makes an effect possible that happened before.
 *
 * <p>Why it may be killed at any point and run again. A row is written, or changed, after the broker has acknowledged the
 * copy that it names, and never before. Killed between the two, the copy lies in the topic and no row names it: as harmless
 * as the copies that workers leave behind when they crash. The next run finds what is recorded and leaves it alone.
 */
public final class ImportRun {
    private static final int LETTERS_AT_ONCE = 300;
    /** Of the file; in memory it is several times as much. */
    private static final long BYTES_AT_ONCE = 2L * 1024 * 1024;

    private final Connections connections;
    private final Stop stop;
    private final ImportFile file;
    private final boolean dryRun;
    private final ImportRows rows;
    private final LetterLookup lookup;
    private final String pattern;
    private final Problems problems;
    private final Progress progress;
    private final Map<ImportKind, Long> kinds = new EnumMap<>(ImportKind.class);
    private final List<Item> batch = new ArrayList<>();
    private long batchBytes;
    private long letters;
    private @Nullable Long announced;

    /**
     * Of a file.
     *
     * @param pattern of the names of dead-letter topics
     * @param dryRun whether only to tell what would be done
     */
    public ImportRun(
            Connections connections, Console console, Stop stop, ImportFile file, String pattern, boolean dryRun) {
        this.connections = connections;
        this.stop = stop;
        this.file = file;
        this.pattern = pattern;
        this.dryRun = dryRun;
        this.rows = new ImportRows(connections, file.consumer());
        this.lookup = new LetterLookup(connections);
        this.problems = new Problems(console);
        this.progress = new Progress(console, "imported", file.letters());
    }

    /** Runs to the end, or until it is stopped. */
    public ImportResult run() throws SQLException, IOException {
        try (Copies copies = new Copies(connections);
                InputStream in = Files.newInputStream(file.path())) {
            ConsumerFacts facts = new ConsumerFacts(connections, copies, file.consumer(), pattern);
            Fates fates = new Fates(copies, facts);
            CopySender sender = new CopySender(connections, copies);
            LineReader lines = new LineReader(in);
            lines.read(); // the header was looked at already
            for (byte[] line = lines.read(); line != null && !stop.requested(); line = lines.read()) {
                take(line, lines.number());
                if (batch.size() >= LETTERS_AT_ONCE || batchBytes >= BYTES_AT_ONCE) {
                    finish(copies, fates, sender);
                }
            }
            if (!stop.requested()) {
                finish(copies, fates, sender);
            }
        } finally {
            progress.clear();
        }
        return result();
    }

    /** What is done so far. */
    public ImportResult result() {
        boolean complete = announced != null && announced == letters;
        return new ImportResult(Map.copyOf(kinds), complete, stop.requested(), problems.detail());
    }

    private void take(byte[] line, long number) {
        try {
            Line parsed = LineParser.parse(line);
            if (parsed instanceof Line.End end && announced == null) {
                announced = end.letters();
                return;
            }
            if (announced != null || !(parsed instanceof Line.Entry entry)) {
                throw new BadLineException("it is not to be here: a file has one header, then letters, then one end");
            }
            if (!entry.letter().consumer().equals(file.consumer())) {
                throw new BadLineException(
                        "it is of the consumer " + entry.letter().consumer());
            }
            letters++;
            batch.add(new Item(number, entry));
            batchBytes += line.length;
        } catch (BadLineException e) {
            letters++;
            count(ImportKind.IMPOSSIBLE, 1);
            problems.add(file.path() + ", line " + number + ": " + e.getMessage());
        }
    }

    private void finish(Copies copies, Fates fates, CopySender sender) throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        List<Letter> wanted = batch.stream().map(Item::letter).toList();
        List<ImportRows.Evidence> evidence = rows.evidence(wanted);
        List<List<Letter>> known = lookup.known(file.consumer(), wanted);
        copies.expect(known.stream().flatMap(List::stream).toList());
        List<Item> items = new ArrayList<>();
        List<Fate> toWrite = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            Fate fate = fates.of(batch.get(i), known.get(i), evidence.get(i));
            if (fate.kind().isDone() && !dryRun) {
                items.add(batch.get(i));
                toWrite.add(fate);
            } else {
                count(fate.kind(), 1);
                tell(batch.get(i), fate.why());
            }
        }
        batch.clear();
        batchBytes = 0;
        if (!items.isEmpty()) {
            write(sender.send(items, toWrite));
        }
        progress.show(letters);
    }

    private void write(CopySender.Sending sending) throws SQLException {
        for (CopySender.Failed failed : sending.failed()) {
            count(ImportKind.IMPOSSIBLE, 1);
            tell(failed.item(), failed.why());
        }
        List<Published> moved = sending.published().stream()
                .filter(copy -> copy.fate().row() != null)
                .toList();
        List<Published> added = sending.published().stream()
                .filter(copy -> copy.fate().row() == null)
                .toList();
        long restored = rows.move(moved);
        count(ImportKind.RESTORED, restored);
        Map<ImportKind, Long> made = rows.add(added);
        made.forEach(this::count);
        // Somebody else was quicker: another import, or the message itself, which came once more and took effect.
        long others = sending.published().size()
                - restored
                - made.values().stream().mapToLong(Long::longValue).sum();
        count(ImportKind.THERE, others);
        if (sending.failure() != null) {
            throw sending.failure();
        }
    }

    private void tell(Item item, @Nullable String why) {
        if (why != null) {
            problems.add(
                    file.path() + ", line " + item.line() + ": " + item.letter().name() + " not imported: " + why);
        }
    }

    private void count(ImportKind kind, long count) {
        if (count > 0) {
            kinds.merge(kind, count, Long::sum);
        }
    }
}
