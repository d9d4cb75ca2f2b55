package dev.onceward.dlq.edit;

import dev.onceward.dlq.exit.RefusedException;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Bytes;
import dev.onceward.dlq.output.PrettyJson;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The user's own editor, on a file that nobody else can read and that is gone afterwards. It gets the terminal: standard
 * input, output and error are those of this process.
 */
public final class PayloadEditor {
    private final String command;

    private PayloadEditor(String command) {
        this.command = command;
    }

    /**
     * The one of {@code VISUAL}, else of {@code EDITOR}: a command, perhaps with arguments.
     *
     * @throws UsageException neither is set
     */
    public static PayloadEditor of(Map<String, String> environment) {
        return Stream.of("VISUAL", "EDITOR")
                .map(name -> environment.getOrDefault(name, ""))
                .filter(command -> !command.isBlank())
                .findFirst()
                .map(PayloadEditor::new)
                .orElseThrow(() -> new UsageException(
                        "which editor? Set VISUAL or EDITOR, or give the new payload with --value-file"));
    }

    /**
     * Opens a payload, and returns what was saved.
     *
     * @throws RefusedException it is no text, or the editor says that it failed
     */
    public byte[] edit(byte[] payload) {
        Optional<String> text = Bytes.text(payload);
        if (text.isEmpty()) {
            throw new RefusedException(
                    "its payload is no text in UTF-8, which an editor might spoil: write it to a file"
                            + " with dlq show --raw, change it there, and give it with --value-file");
        }
        try {
            // Also for what the editor itself puts beside the file: copies, locks, recovery files.
            Path directory = Files.createTempDirectory("dlq-edit-");
            try {
                boolean json = PrettyJson.of(text.get()).isPresent();
                Path file = Files.createTempFile(directory, "payload-", json ? ".json" : ".txt");
                Files.write(file, payload);
                run(file);
                return withoutAddedLineFeed(payload, Files.readAllBytes(file));
            } finally {
                delete(directory);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("the payload could not be given to the editor: " + e.getMessage(), e);
        }
    }

    private void run(Path file) throws IOException {
        // Through the shell: the variable may hold arguments, and quotes around them.
        List<String> shell = List.of("/bin/sh", "-c", command + " \"$1\"", "dlq-edit", file.toString());
        Process editor = new ProcessBuilder(shell).inheritIO().start();
        try {
            int exitCode = editor.waitFor();
            if (exitCode != 0) {
                throw new RefusedException(
                        "the editor (" + command + ") ended with " + exitCode + ": nothing was sent");
            }
        } catch (InterruptedException e) {
            editor.destroy();
            Thread.currentThread().interrupt();
            throw new RefusedException("interrupted: nothing was sent");
        }
    }

    /** Most editors end the last line where nobody has. */
    private static byte[] withoutAddedLineFeed(byte[] before, byte[] after) {
        boolean added = after.length > 0
                && after[after.length - 1] == '\n'
                && (before.length == 0 || before[before.length - 1] != '\n');
        return added ? Arrays.copyOf(after, after.length - 1) : after;
    }

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
