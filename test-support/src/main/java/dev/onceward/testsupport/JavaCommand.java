package dev.onceward.testsupport;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command line of a JVM like this one. All options stand in a file: a class path of a build can be too long for a command. */
final class JavaCommand {

    private JavaCommand() {}

    static List<String> write(Path directory, List<String> jvmOptions, String mainClass, List<String> arguments) {
        List<String> options = new ArrayList<>(jvmOptions);
        options.add("-cp");
        options.add(classPath());
        options.add(mainClass);
        options.addAll(arguments);
        Path file = directory.resolve("java.args");
        try {
            Files.write(file, options.stream().map(JavaCommand::quoted).toList());
        } catch (IOException e) {
            throw new BackendException("Could not write " + file + ": " + e, e);
        }
        return List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "@" + file);
    }

    /** What this JVM sees; the child has what this one has as modules on its class path, too. */
    private static String classPath() {
        return Stream.of("jdk.module.path", "java.class.path")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .filter(path -> !path.isEmpty())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** In an argument file everything stands for itself between double quotes, but for backslash and quote. */
    static String quoted(String argument) {
        return '"'
                + argument.replace("\\", "\\\\")
                        .replace("\"", "\\\"")
                        .replace("\n", "\\n")
                        .replace("\r", "\\r")
                + '"';
    }
}
