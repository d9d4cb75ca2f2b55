package dev.onceward.testsupport;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The broker's process: runs the node whose settings file is the first argument, and writes the second when it serves clients. */
final class KafkaChildMain {

    private KafkaChildMain() {}

    public static void main(String[] arguments) throws IOException {
        KafkaNode node = KafkaNode.start(Path.of(arguments[0]));
        Runtime.getRuntime().addShutdownHook(new Thread(node::close, "onceward-stop-kafka"));
        Files.createFile(Path.of(arguments[1]));
        node.awaitEnd();
    }
}
