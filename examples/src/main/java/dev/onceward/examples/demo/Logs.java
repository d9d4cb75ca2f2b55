package dev.onceward.examples.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The directory of the workers' logs. */
final class Logs {

    private Logs() {}

    /** Removes it: nobody reads the logs of a run in which everything held. */
    static void delete(Path directory) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(directory)) {
            files = all.toList();
        }
        for (Path file : files) {
            Files.deleteIfExists(file);
        }
        Files.deleteIfExists(directory);
    }
}
