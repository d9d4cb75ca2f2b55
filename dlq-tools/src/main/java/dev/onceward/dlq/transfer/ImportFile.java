package dev.onceward.dlq.transfer;

import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A file to import, as a first look at it shows.
 *
 * @param path where it is
 * @param consumer whose letters it holds
 * @param letters how many lines are letters, or should be
 * @param knowsStatus whether they were looked up in the database; if not, in the dead-letter topic alone
 */
public record ImportFile(Path path, String consumer, long letters, boolean knowsStatus) {
    /**
     * Looks at it.
     *
     * @throws UsageException it is not there, or no export
     * @throws RefusedException it is of another version, or has lines that there is no memory for
     */
    public static ImportFile look(Path path) throws IOException {
        if (!Files.isRegularFile(path)) {
            // It is read twice: first to tell how much it holds.
            throw new UsageException("--file: " + path + (Files.exists(path) ? " is no file" : " does not exist"));
        }
        try (InputStream in = Files.newInputStream(path)) {
            LineReader lines = new LineReader(path, in);
            ExportLine.Head head = head(path, lines.read());
            long letters = 0;
            byte[] last = null;
            for (byte[] line = lines.read(); line != null; line = lines.read()) {
                letters++;
                last = line;
            }
            return new ImportFile(path, head.consumer(), isEnd(last) ? letters - 1 : letters, head.knowsStatus());
        } catch (NoSuchFileException e) {
            throw new UsageException("--file: " + path + " does not exist");
        }
    }

    private static ExportLine.Head head(Path path, byte @Nullable [] line) {
        try {
            if (line != null && LineParser.parse(line) instanceof ExportLine.Head head) {
                return head;
            }
        } catch (BadLineException e) {
            throw new RefusedException("line 1 of " + path + " is not the beginning of an export: " + e.getMessage());
        }
        throw new RefusedException("line 1 of " + path + " is not the beginning of an export");
    }

    private static boolean isEnd(byte @Nullable [] line) {
        try {
            return line != null && line.length < 100 && LineParser.parse(line) instanceof ExportLine.End;
        } catch (BadLineException e) {
            return false;
        }
    }
}
