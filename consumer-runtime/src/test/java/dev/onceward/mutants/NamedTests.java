package dev.onceward.mutants;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs tests by their names, in one JVM with one set of servers, and writes a line about each to a file: that it passed,
 * that a guarantee did not hold, or that something else was wrong. Arguments: the file, then {@code Class#method} each.
 */
final class NamedTests {
    private NamedTests() {}

    /** How a test ended. */
    enum End {
        /** All of it held. */
        PASSED,
        /** An assertion failed, or what was waited for did not come. */
        ASSERTION,
        /** Anything else: a server that did not start, say. */
        TROUBLE
    }

    /**
     * A line of the file.
     *
     * @param test its name
     * @param end how it ended
     * @param seconds how long it took
     * @param message what failed
     */
    record Line(String test, End end, long seconds, String message) {
        static Line parse(String line) {
            String[] parts = line.split("\t", 4);
            return new Line(parts[0], End.valueOf(parts[1]), Long.parseLong(parts[2]), parts[3]);
        }

        String text() {
            return String.join("\t", test, end.name(), String.valueOf(seconds), message);
        }
    }

    public static void main(String[] args) throws Exception {
        Path results = Path.of(args[0]);
        Launcher launcher = LauncherFactory.create();
        List<String> lines = new ArrayList<>();
        for (String test : Arrays.asList(args).subList(1, args.length)) {
            lines.add(run(launcher, test).text());
            Files.write(results, lines);
        }
        System.exit(0); // whatever threads a broken worker left behind
    }

    private static Line run(Launcher launcher, String test) throws IOException, ReflectiveOperationException {
        LauncherDiscoveryRequest request = LauncherDiscoveryRequestBuilder.request()
                .selectors(selectMethod(Class.forName(classOf(test)), method(test)))
                .build();
        Failures failures = new Failures();
        long began = System.nanoTime();
        launcher.execute(request, failures);
        long seconds = (System.nanoTime() - began) / 1_000_000_000;
        if (failures.passed == 0 && failures.thrown.isEmpty()) {
            return new Line(test, End.TROUBLE, seconds, "there is no such test");
        }
        // A parametrised test fails in several ways: one guarantee that did not hold is enough.
        Throwable told = failures.thrown.stream()
                .filter(NamedTests::isGuarantee)
                .findFirst()
                .orElse(failures.thrown.isEmpty() ? null : failures.thrown.get(0));
        if (told == null) {
            return new Line(test, End.PASSED, seconds, "");
        }
        return new Line(test, isGuarantee(told) ? End.ASSERTION : End.TROUBLE, seconds, oneLine(told));
    }

    static boolean isGuarantee(Throwable thrown) {
        return thrown instanceof AssertionError
                || thrown instanceof ConditionTimeoutException
                || thrown instanceof TimeoutException; // JUnit's own, of @Timeout
    }

    private static String oneLine(Throwable thrown) {
        String text = String.valueOf(thrown.getMessage()).strip().replaceAll("\\s+", " ");
        String name = thrown instanceof AssertionError ? "" : thrown.getClass().getSimpleName() + ": ";
        return name + text.substring(0, Math.min(text.length(), 160));
    }

    private static String classOf(String test) {
        return test.substring(0, test.indexOf('#'));
    }

    /** The method of a test, whatever its parameters. */
    static Method method(String test) throws ReflectiveOperationException {
        String name = test.substring(test.indexOf('#') + 1);
        return Arrays.stream(Class.forName(classOf(test)).getDeclaredMethods())
                .filter(method -> method.getName().equals(name) && !method.isSynthetic())
                .findFirst()
                .orElseThrow(() -> new NoSuchMethodException(test));
    }

    private static final class Failures implements TestExecutionListener {
        private final List<Throwable> thrown = new ArrayList<>();
        private int passed;

        @Override
        public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
            result.getThrowable().ifPresent(thrown::add);
            if (identifier.isTest() && result.getStatus() == TestExecutionResult.Status.SUCCESSFUL) {
                passed++;
            }
        }
    }
}
