package dev.onceward.architecture;

import static java.util.stream.Collectors.toCollection;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code docs/faults.md} names the tests that there are, of all modules, and each fault has one. */
class FaultsPageTest {
    private static final int FAULTS = 54;
    private static final Path PAGE = Path.of("..", "docs", "faults.md");
    private static final Path TESTS = Path.of("src", "test", "java", "dev", "onceward");

    private static final Pattern ROW = Pattern.compile("^\\| (F\\d\\d) \\|.*\\|$", Pattern.MULTILINE);
    private static final Pattern NAMED = Pattern.compile("`([\\w.]+#\\w+)`");
    /** A test of JUnit's: nothing but annotations between its annotation and its name, so no blank line. */
    private static final Pattern METHOD =
            Pattern.compile("@(?:Parameterized)?Test\\b(?:(?!\\n\\n)[\\s\\S])*?\\bvoid (F\\d\\d_\\w+)\\(");

    /** Whatever looks like one. */
    private static final Pattern NAME = Pattern.compile("\\bvoid (F\\d\\d_\\w+)\\(");

    @Test
    void eachFaultHasARowAndEachRowTheTestsOfItsFault() throws IOException {
        Map<String, List<String>> rows = rows();
        assertThat(rows.keySet())
                .containsExactlyElementsOf(IntStream.rangeClosed(1, FAULTS)
                        .mapToObj(number -> String.format("F%02d", number))
                        .toList());
        rows.forEach((fault, tests) ->
                assertThat(tests).as(fault).isNotEmpty().allMatch(test -> test.contains("#" + fault + "_")));
    }

    @Test
    void thePageNamesAllTestsOfFaultsAndNoOthers() throws IOException {
        Set<String> named = rows().values().stream().flatMap(List::stream).collect(toCollection(TreeSet::new));
        assertThat(named).containsExactlyElementsOf(tests(METHOD));
    }

    @Test
    void whatIsNamedAfterAFaultIsRunAsATest() throws IOException {
        assertThat(tests(METHOD)).containsExactlyElementsOf(tests(NAME));
    }

    /** Faults in the order of the page, each with the tests that its row names. */
    private static Map<String, List<String>> rows() throws IOException {
        Map<String, List<String>> rows = new TreeMap<>();
        for (Matcher row = ROW.matcher(Files.readString(PAGE)); row.find(); ) {
            List<String> tests = NAMED.matcher(row.group())
                    .results()
                    .map(named -> named.group(1))
                    .toList();
            assertThat(rows.put(row.group(1), tests))
                    .as("a second row of " + row.group(1))
                    .isNull();
        }
        return rows;
    }

    /** {@code package.Class#method} of all modules, without {@code dev.onceward.}. */
    private static Set<String> tests(Pattern pattern) throws IOException {
        Set<String> tests = new TreeSet<>();
        for (Path module : modules()) {
            Path root = module.resolve(TESTS);
            try (Stream<Path> files = Files.walk(root)) {
                for (Path file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    String type = root.relativize(file)
                            .toString()
                            .replace(".java", "")
                            .replace('/', '.')
                            .replace('\\', '.');
                    for (MatchResult method :
                            pattern.matcher(Files.readString(file)).results().toList()) {
                        tests.add(type + "#" + method.group(1));
                    }
                }
            }
        }
        assertThat(tests).isNotEmpty();
        return tests;
    }

    private static List<Path> modules() throws IOException {
        try (Stream<Path> folders = Files.list(Path.of(".."))) {
            return new ArrayList<>(folders.filter(folder -> Files.isDirectory(folder.resolve(TESTS)))
                    .toList());
        }
    }
}
