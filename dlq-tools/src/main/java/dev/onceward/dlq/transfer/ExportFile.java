package dev.onceward.dlq.transfer;

import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.index.Letter;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Where an export goes. A file that has no end yet is gone on with: what was cut off in the middle of a line is taken away,
 * and the last whole line says where to go on. For one thread.
 */
public final class ExportFile implements AutoCloseable {
    private static final Set<PosixFilePermission> OWNER_ONLY = PosixFilePermissions.fromString("rw-------");
    private static final int BUFFER = 64 * 1024;

    private final String name;
    private final @Nullable FileChannel channel;
    private final OutputStream out;
    private ExportLine.@Nullable Head head;
    private @Nullable Letter last;
    private long letters;
    private long lost;

    private ExportFile(String name, @Nullable FileChannel channel, OutputStream out) {
        this.name = name;
        this.channel = channel;
        this.out = out;
    }

    /** To standard output: nothing to go on with. Not closed with this object. */
    public static ExportFile of(PrintStream stream) {
        // A PrintStream keeps to itself that nobody reads any more, or that the disk behind it is full.
        OutputStream checked = new OutputStream() {
            @Override
            public void write(int oneByte) throws IOException {
                write(new byte[] {(byte) oneByte}, 0, 1);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                stream.write(bytes, offset, length);
                flush();
            }

            @Override
            public void flush() throws IOException {
                if (stream.checkError()) {
                    throw new IOException("standard output takes no more");
                }
            }
        };
        return new ExportFile("standard output", null, new BufferedOutputStream(checked, BUFFER));
    }

    /**
     * Opens or creates it, readable by its owner only: what messages hold is often nobody else's business.
     *
     * @param overwrite whether what is there is to be thrown away
     * @throws RefusedException it is complete, it is no export at all, or somebody else writes it
     */
    public static ExportFile open(Path path, boolean overwrite) throws IOException {
        FileChannel channel = channel(path);
        try {
            lock(path, channel);
            if (!overwrite) {
                checkBeginning(path, channel);
            }
            // Not before it is known to be an export: whatever else it is may have been meant for others.
            restrict(path);
            ExportFile file = new ExportFile(
                    path.toString(), channel, new BufferedOutputStream(Channels.newOutputStream(channel), BUFFER));
            if (overwrite) {
                channel.truncate(0);
            } else {
                channel.truncate(file.readToLastWholeLine(path, channel));
            }
            channel.position(channel.size());
            return file;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    ExportLine.@Nullable Head head() {
        return head;
    }

    /** The last letter that is in it; {@code null}: none is. */
    @Nullable
    Letter last() {
        return last;
    }

    /** How many are in it. */
    long letters() {
        return letters;
    }

    /** How many of those have no payload and should have one. */
    long lost() {
        return lost;
    }

    /** For messages. */
    String name() {
        return name;
    }

    void write(ExportLine line) throws IOException {
        LineWriter.write(out, line);
        if (line instanceof ExportLine.Entry entry) {
            letters++;
            lost += entry.isLost() ? 1 : 0;
            last = entry.letter();
        } else if (line instanceof ExportLine.Head newHead) {
            head = newHead;
        }
    }

    /** What was written can be read by others. */
    void flush() throws IOException {
        out.flush();
    }

    /** What was written stays, also when the machine loses power. */
    void sync() throws IOException {
        out.flush();
        if (channel != null) {
            channel.force(true);
        }
    }

    /** Without an end, the next export goes on. */
    @Override
    public void close() throws IOException {
        out.flush();
        if (channel != null) {
            channel.close();
        }
    }

    private static FileChannel channel(Path path) throws IOException {
        Set<StandardOpenOption> options =
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        boolean posix = path.getFileSystem().supportedFileAttributeViews().contains("posix");
        FileAttribute<?>[] attributes = posix
                ? new FileAttribute<?>[] {PosixFilePermissions.asFileAttribute(OWNER_ONLY)}
                : new FileAttribute<?>[0];
        try {
            return FileChannel.open(path, options, attributes);
        } catch (NoSuchFileException e) {
            throw new UsageException("--file: the directory of " + path + " does not exist");
        }
    }

    private static void lock(Path path, FileChannel channel) throws IOException {
        try {
            if (channel.tryLock() != null) {
                return;
            }
        } catch (OverlappingFileLockException e) {
            // By another export of this process.
        }
        throw new RefusedException("another export writes " + path + " at this moment");
    }

    /** Also one that was there already, with what umask it may have been made. */
    private static void restrict(Path path) throws IOException {
        if (Files.isRegularFile(path)
                && path.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            Files.setPosixFilePermissions(path, OWNER_ONLY);
        }
    }

    /** Returns where the last whole line ends. Through the channel: closing a second one would give up the lock. */
    private long readToLastWholeLine(Path path, FileChannel channel) throws IOException {
        LineReader lines = new LineReader(path, Channels.newInputStream(channel));
        byte[] whole = null;
        long end = 0;
        for (byte[] line = lines.read(); line != null; line = lines.read()) {
            if (!lines.ended()) {
                break;
            }
            if (whole == null) {
                head = head(path, line);
            }
            whole = line;
            end = lines.start() + line.length + 1;
            letters = lines.number() - 1;
            if (isWithoutPayload(line) && letter(path, line, lines.number()).isLost()) {
                lost++;
            }
        }
        if (whole != null && letters > 0) {
            last = letter(path, whole, letters + 1).letter();
        }
        return end;
    }

    private static ExportLine.Head head(Path path, byte[] line) {
        try {
            if (LineParser.parse(line) instanceof ExportLine.Head found) {
                return found;
            }
        } catch (BadLineException e) {
            throw new RefusedException(path + " is no export that can be gone on with: " + e.getMessage()
                    + ". Name another file, or throw it away with --overwrite");
        }
        throw noExport(path);
    }

    /** Without reading JSON, which would take long where the payloads are: within a text no quote stands behind a comma. */
    private static boolean isWithoutPayload(byte[] line) {
        return new String(line, StandardCharsets.ISO_8859_1).contains(",\"payloadMissing\":");
    }

    private static ExportLine.Entry letter(Path path, byte[] line, long number) {
        try {
            ExportLine found = LineParser.parse(line);
            if (found instanceof ExportLine.Entry entry) {
                return entry;
            }
            throw new RefusedException(
                    path + " is a complete export already. Name another file, or throw it away with" + " --overwrite");
        } catch (BadLineException e) {
            throw new RefusedException("line " + number + " of " + path + " is no letter: " + e.getMessage()
                    + ". Name another file, or throw it away with --overwrite");
        }
    }

    /**
     * Only an export may be gone on with, or the beginning of its header be thrown away, and nobody's letter to their aunt.
     * Looked at before it is read: what is no export may be one line of any length.
     */
    private static void checkBeginning(Path path, FileChannel channel) throws IOException {
        byte[] expected = ("{\"format\":\"" + LineWriter.FORMAT + "\"").getBytes(StandardCharsets.UTF_8);
        ByteBuffer found = ByteBuffer.allocate(expected.length);
        while (found.hasRemaining() && channel.read(found, found.position()) > 0) {
            // Until there is enough, or no more.
        }
        if (!Arrays.equals(found.array(), 0, found.position(), expected, 0, found.position())) {
            throw noExport(path);
        }
    }

    private static RefusedException noExport(Path path) {
        return new RefusedException(
                path + " is something else than an export. Name another file, or throw it away with --overwrite");
    }
}
