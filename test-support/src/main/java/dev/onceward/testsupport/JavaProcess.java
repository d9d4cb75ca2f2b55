package dev.onceward.testsupport;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Describes a Java program that {@link ProcessControl} starts: a builder, for one thread, good for several starts. What
 * no listener is set for goes to the standard error of this JVM, each line with the program's name before it.
 */
public final class JavaProcess {

    private final String mainClass;
    private final List<String> arguments = new ArrayList<>();
    private final List<String> jvmOptions = new ArrayList<>();
    private final Map<String, String> environment = new HashMap<>();
    private String name;
    private Consumer<String> output = this::print;
    private Consumer<String> errors = this::print;

    JavaProcess(Class<?> main) {
        mainClass = main.getName();
        name = main.getSimpleName();
    }

    /** A name for threads and printed lines; by default that of the class. */
    public JavaProcess named(String newName) {
        name = newName;
        return this;
    }

    /** Adds arguments of the main method. */
    public JavaProcess arguments(String... added) {
        arguments.addAll(List.of(added));
        return this;
    }

    /** Adds options of the JVM, such as {@code -Xmx96m} or {@code -Dname=value}. None are taken over from this JVM. */
    public JavaProcess jvmOptions(String... added) {
        jvmOptions.addAll(List.of(added));
        return this;
    }

    /** Sets an environment variable; the others are this JVM's. */
    public JavaProcess environment(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Who gets each line of the standard output, in order, in a thread of its own. An exception of it is printed. */
    public JavaProcess onOutput(Consumer<String> listener) {
        output = listener;
        return this;
    }

    /** Who gets each line of the standard error, in order, in a thread of its own. An exception of it is printed. */
    public JavaProcess onErrors(Consumer<String> listener) {
        errors = listener;
        return this;
    }

    /**
     * Starts the program and returns at once.
     *
     * @throws BackendException if the system cannot start a process
     */
    public ProcessControl start() {
        Path directory = WorkDirectory.create("java");
        List<String> command = JavaCommand.write(directory, jvmOptions, mainClass, arguments);
        GuardedProcess process;
        try {
            process = GuardedProcess.start(
                    command,
                    List.of("KILL"),
                    directory,
                    builder -> builder.environment().putAll(environment));
        } catch (BackendException e) {
            WorkDirectory.delete(directory);
            throw e;
        }
        List<CompletableFuture<Void>> outputs = List.of(
                LinePump.start(name + "-stdout", process.process().getInputStream(), output),
                LinePump.start(name + "-stderr", process.process().getErrorStream(), errors));
        return new ProcessControl(process, outputs, process.exitCode().thenRun(() -> WorkDirectory.delete(directory)));
    }

    private void print(String line) {
        byte[] whole = ("[" + name + "] " + line + System.lineSeparator()).getBytes(StandardCharsets.UTF_8);
        System.err.write(whole, 0, whole.length); // in one piece: several processes print at the same time
        System.err.flush();
    }
}
