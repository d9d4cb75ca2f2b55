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
import java.util.HashMap;
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
    private final List<FileLetter> batch = new ArrayList<>();
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
        this.progress = new Progress(console, dryRun ? "looked at" : "imported", file.letters());
    }

    /** Runs to the end, or until it is stopped. */
    public ImportResult run() throws SQLException, IOException {
        try (Copies copies = new Copies(connections);
                InputStream in = Files.newInputStream(file.path())) {
            ConsumerFacts facts = new ConsumerFacts(connections, copies, file.consumer(), pattern);
            ImportDecider decider = new ImportDecider(copies, facts);
            CopySender sender = new CopySender(connections, copies);
            LineReader lines = new LineReader(file.path(), in);
            lines.read(); // the header was looked at already
            for (byte[] line = lines.read(); line != null && !stop.requested(); line = lines.read()) {
                take(line, lines.number());
                if (batch.size() >= LETTERS_AT_ONCE || batchBytes >= BYTES_AT_ONCE) {
                    finish(copies, decider, sender);
                }
            }
            if (!stop.requested()) {
                finish(copies, decider, sender);
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
            ExportLine parsed = LineParser.parse(line);
            if (parsed instanceof ExportLine.End end && announced == null) {
                announced = end.letters();
                return;
            }
            if (announced != null || !(parsed instanceof ExportLine.Entry entry)) {
                throw new BadLineException("it is not to be here: a file has one header, then letters, then one end");
            }
            if (!entry.letter().consumer().equals(file.consumer())) {
                throw new BadLineException(
                        "it is of the consumer " + entry.letter().consumer());
            }
            LineChecks.check(entry, file.knowsStatus());
            letters++;
            batch.add(new FileLetter(number, entry));
            batchBytes += line.length;
        } catch (BadLineException e) {
            letters++;
            count(ImportKind.IMPOSSIBLE, 1);
            problems.add(file.path() + ", line " + number + ": " + e.getMessage());
        }
    }

    private void finish(Copies copies, ImportDecider decider, CopySender sender) throws SQLException {
        if (batch.isEmpty()) {
            return;
        }
        List<Letter> wanted = batch.stream().map(FileLetter::letter).toList();
        List<ImportRows.Evidence> evidence = rows.evidence(wanted);
        List<List<Letter>> known = lookup.known(file.consumer(), wanted);
        copies.expect(known.stream().flatMap(List::stream).toList());
        List<FileLetter> items = new ArrayList<>();
        List<ImportDecision> toWrite = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            ImportDecision decision = decider.decide(batch.get(i), known.get(i), evidence.get(i));
            if (decision.kind().isDone() && !dryRun) {
                items.add(batch.get(i));
                toWrite.add(decision);
            } else {
                count(decision.kind(), 1);
                tell(batch.get(i), decision.why());
            }
        }
        batch.clear();
        batchBytes = 0;
        if (!items.isEmpty()) {
            write(sender.send(items, toWrite), decider);
        }
        progress.show(letters);
    }

    private void write(CopySender.Sending sending, ImportDecider decider) throws SQLException {
        for (CopySender.Failed failed : sending.failed()) {
            count(ImportKind.IMPOSSIBLE, 1);
            tell(failed.item(), failed.why());
        }
        Map<ImportRows.Key, ImportKind> written = new HashMap<>(rows.move(
                sending.published().stream().filter(Published::isKnown).toList()));
        written.putAll(rows.add(
                sending.published().stream().filter(copy -> !copy.isKnown()).toList()));
        List<FileLetter> overtaken = new ArrayList<>();
        for (Published copy : sending.published()) {
            // Taken away: a letter that is in the file twice is written once.
            ImportKind kind = written.remove(ImportRows.Key.of(copy.isKnown() ? copy.row() : copy.letter()));
            if (kind == null) {
                overtaken.add(copy.item());
            } else {
                count(kind, 1);
            }
        }
        tellOvertaken(overtaken, decider);
        if (sending.failure() != null) {
            throw sending.failure();
        }
    }

    /** Somebody else was quicker: another import, an erasure, or the message itself, which came once more. */
    private void tellOvertaken(List<FileLetter> overtaken, ImportDecider decider) throws SQLException {
        if (overtaken.isEmpty()) {
            return;
        }
        List<Letter> letters = overtaken.stream().map(FileLetter::letter).toList();
        List<ImportRows.Evidence> evidence = rows.evidence(letters);
        List<List<Letter>> known = lookup.known(file.consumer(), letters);
        for (int i = 0; i < overtaken.size(); i++) {
            ImportDecision decision = decider.overtaken(letters.get(i), known.get(i), evidence.get(i));
            count(decision.kind(), 1);
            tell(overtaken.get(i), decision.why());
        }
    }

    private void tell(FileLetter item, @Nullable String why) {
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
