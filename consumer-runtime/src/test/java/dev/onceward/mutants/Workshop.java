package dev.onceward.mutants;

import dev.onceward.mutants.NamedTests.End;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;

/**
 * Compiles broken sources into a temporary directory, which stands before the class path of the tests: neither the working
 * tree nor what was built of it is touched. The tests of each run in a JVM of their own.
 */
final class Workshop implements AutoCloseable {
    private static final Duration LONGEST = Duration.ofMinutes(5);

    private final Path sources;
    private final Path directory;
    private final String classPath = System.getProperty("java.class.path");
    private final Thread atExit = new Thread(this::stop);
    private volatile @Nullable Process running;
    private boolean keep;

    Workshop(Path module) throws IOException {
        this.sources = module.resolve("src/main/java");
        this.directory = Files.createTempDirectory("onceward-mutants-");
        Runtime.getRuntime().addShutdownHook(atExit);
    }

    /** What became of a build. */
    enum Verdict {
        /** All tests passed: as it should be for the unchanged build, and for a broken one it should not. */
        PASSED,
        /** A guarantee did not hold, and a test said so. */
        CAUGHT,
        /** It could not be told: not compiled, servers that did not start, a test that did not end. */
        TROUBLE
    }

    /**
     * What became of a build, in words too.
     *
     * @param verdict what became of it
     * @param text the same in words
     * @param seconds how long that took
     */
    record Result(Verdict verdict, String text, long seconds) {}

    Result unchanged(List<String> tests) throws IOException, InterruptedException {
        long began = System.nanoTime();
        List<NamedTests.Line> lines = runTests("unchanged", classPath, tests, LONGEST.multipliedBy(2));
        List<String> bad = lines.stream()
                .filter(line -> line.end() != End.PASSED)
                .map(line -> "\n   FAILED " + MutantsMain.shortName(line.test()) + ": " + line.message())
                .toList();
        if (lines.size() < tests.size() || !bad.isEmpty()) {
            keep = true;
            String failed = bad.isEmpty() ? "FAILED: the tests did not end" : bad.size() + " failed";
            return new Result(
                    Verdict.TROUBLE, failed + String.join("", bad) + "\n   " + log("unchanged"), seconds(began));
        }
        return new Result(Verdict.PASSED, "all passed", seconds(began));
    }

    Result broken(Mutant mutant) throws IOException, InterruptedException {
        long began = System.nanoTime();
        Path classes = directory.resolve(mutant.number());
        String problem;
        try {
            problem = compile(mutant, classes);
        } catch (IllegalArgumentException e) {
            problem = String.valueOf(e.getMessage());
        }
        if (!problem.isEmpty()) {
            return new Result(Verdict.TROUBLE, "BROKEN: " + problem, seconds(began));
        }
        List<NamedTests.Line> lines = new ArrayList<>();
        for (String test : mutant.caughtBy()) {
            lines.addAll(runTests(mutant.number(), classes + File.pathSeparator + classPath, List.of(test), LONGEST));
            for (NamedTests.Line line : lines) {
                if (line.end() == End.ASSERTION) {
                    return new Result(
                            Verdict.CAUGHT,
                            "caught by " + MutantsMain.shortName(line.test()) + "\n      " + line.message(),
                            seconds(began));
                }
            }
        }
        keep = true;
        boolean survived =
                lines.size() == mutant.caughtBy().size() && lines.stream().allMatch(line -> line.end() == End.PASSED);
        String text = survived
                ? "SURVIVED: no test noticed"
                : "BROKEN: "
                        + lines.stream()
                                .map(NamedTests.Line::message)
                                .filter(message -> !message.isEmpty())
                                .findFirst()
                                .orElse("the tests did not end");
        return new Result(
                survived ? Verdict.PASSED : Verdict.TROUBLE, text + "\n   " + log(mutant.number()), seconds(began));
    }

    private String compile(Mutant mutant, Path classes) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            return "there is no compiler: this Java is no JDK";
        }
        Files.createDirectories(classes);
        List<File> files = new ArrayList<>();
        for (Map.Entry<String, String> source : mutant.apply(sources).entrySet()) {
            Path file = directory.resolve("src-" + mutant.number()).resolve(source.getKey());
            Files.createDirectories(file.getParent());
            Files.writeString(file, source.getValue());
            files.add(file.toFile());
        }
        StringWriter messages = new StringWriter();
        try (var manager = compiler.getStandardFileManager(null, null, null)) {
            List<String> options = List.of(
                    "-d", classes.toString(), "-cp", classPath, "--release", "17", "-proc:none", "-implicit:none");
            boolean compiled = compiler.getTask(
                            messages, manager, null, options, null, manager.getJavaFileObjectsFromFiles(files))
                    .call();
            return compiled ? "" : "it does not compile:\n" + messages;
        }
    }

    private List<NamedTests.Line> runTests(String name, String path, List<String> tests, Duration longest)
            throws IOException, InterruptedException {
        Path results = directory.resolve(name + ".results");
        Files.deleteIfExists(results);
        List<String> command = new ArrayList<>(List.of(
                ProcessHandle.current().info().command().orElse("java"),
                "-Xmx1g",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                path,
                NamedTests.class.getName(),
                results.toString()));
        command.addAll(tests);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(
                        directory.resolve(name + ".log").toFile()))
                .start();
        running = process;
        boolean ended = process.waitFor(longest.toSeconds(), TimeUnit.SECONDS);
        stop();
        List<String> lines = Files.exists(results) ? Files.readAllLines(results) : List.of();
        return ended || !lines.isEmpty()
                ? lines.stream().map(NamedTests.Line::parse).toList()
                : List.of();
    }

    private void stop() {
        Process process = running;
        if (process != null && process.isAlive()) {
            // In order, so that it ends its servers; they are its children, and end with it at the latest.
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
        running = null;
    }

    private String log(String name) {
        return "see " + directory.resolve(name + ".log");
    }

    private static long seconds(long began) {
        return Duration.ofNanos(System.nanoTime() - began).toSeconds();
    }

    @Override
    public void close() throws IOException {
        Runtime.getRuntime().removeShutdownHook(atExit);
        if (keep) {
            return;
        }
        Files.walkFileTree(directory, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
