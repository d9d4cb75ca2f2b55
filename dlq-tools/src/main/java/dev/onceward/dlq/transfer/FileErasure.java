package dev.onceward.dlq.transfer;

import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Letter;
import dev.onceward.message.Origin;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Takes the data of erased letters out of an export: their lines keep the facts, as those of a later export would. All
 * other lines stay as they are, byte for byte. The file is replaced in one step: whoever reads it sees the old or the new.
 */
public final class FileErasure {
    private static final int BUFFER = 64 * 1024;

    private FileErasure() {}

    /**
     * What was done.
     *
     * @param erased how many lines lost their data
     * @param unread numbers of lines that are no letters, so that nobody can tell whose they are
     * @param keysInFirstLine whether the first line names keys, which stay
     */
    public record Result(long erased, List<Long> unread, boolean keysInFirstLine) {
        /** Copies. */
        public Result {
            unread = List.copyOf(unread);
        }
    }

    /**
     * Looks whether it can be done.
     *
     * @throws UsageException it is no export, or is not there
     * @throws RefusedException an export writes it at this moment
     */
    public static void check(Path path) throws IOException {
        ImportFile.look(path);
        try (FileChannel channel = FileChannel.open(path)) {
            lock(path, channel);
        }
    }

    /** Rewrites the file, if any of these letters has data in it. Repeatable. */
    public static Result erase(Path path, Collection<Letter> letters) throws IOException {
        Set<Message> gone = letters.stream().map(Message::of).collect(Collectors.toSet());
        Path rewritten = Files.createTempFile(path.toAbsolutePath().getParent(), path.getFileName() + ".", ".erasing");
        try {
            Result result;
            try (FileChannel lock = FileChannel.open(path);
                    InputStream in = Files.newInputStream(path);
                    FileChannel channel = FileChannel.open(rewritten, StandardOpenOption.WRITE);
                    OutputStream out = new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER)) {
                lock(path, lock);
                result = copy(new LineReader(path, in), out, gone::contains);
                out.flush();
                channel.force(true);
            }
            if (result.erased() > 0) {
                Files.move(rewritten, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            }
            return result;
        } finally {
            Files.deleteIfExists(rewritten);
        }
    }

    /** An export would go on in the file that is replaced, which nobody can find any more. */
    private static void lock(Path path, FileChannel channel) throws IOException {
        try {
            // Shared: the file is only read.
            if (channel.tryLock(0, Long.MAX_VALUE, true) != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            // By an export of this process.
        }
        throw new RefusedException("an export writes " + path + " at this moment: wait for its end, or stop it");
    }

    private static Result copy(LineReader lines, OutputStream out, Predicate<Message> isGone) throws IOException {
        long erased = 0;
        List<Long> unread = new ArrayList<>();
        boolean keys = false;
        for (byte[] bytes = lines.read(); bytes != null; bytes = lines.read()) {
            try {
                ExportLine line = LineParser.parse(bytes);
                if (line instanceof ExportLine.Head head) {
                    keys = head.filter().contains("--key ");
                } else if (line instanceof ExportLine.Entry entry
                        && entry.letter().history().erasedAt() == null
                        && isGone.test(Message.of(entry.letter()))) {
                    LineWriter.write(out, entry.erased());
                    erased++;
                    continue;
                }
            } catch (BadLineException e) {
                unread.add(lines.number());
            }
            out.write(bytes);
            if (lines.ended()) {
                out.write('\n');
            }
        }
        return new Result(erased, unread, keys);
    }

    /** Every failure of one message has the same. */
    private record Message(String consumer, String topic, int partition, long offset, long timestamp) {
        static Message of(Letter letter) {
            Origin origin = letter.origin();
            return new Message(
                    letter.consumer(),
                    origin.coordinates().topic(),
                    origin.coordinates().partition(),
                    origin.coordinates().offset(),
                    origin.timestamp());
        }
    }
}
