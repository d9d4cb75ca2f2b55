package dev.onceward.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The catalogue of events says what is logged: every warning has a name, and every name is logged. */
class LogEventsTest {
    private static final Path SOURCES = Path.of("src", "main", "java");
    private static final Pattern LOUD = Pattern.compile("\\.at(Warn|Error|Level)\\([^;]*?\\.log\\(", Pattern.DOTALL);
    private static final Pattern NAMELESS = Pattern.compile("LOG\\.(warn|error)\\(");

    private static final Map<String, String> TEXTS = new TreeMap<>();

    @BeforeAll
    static void read() throws IOException {
        try (Stream<Path> files = Files.walk(SOURCES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                TEXTS.put(SOURCES.relativize(file).toString(), Files.readString(file));
            }
        }
    }

    @Test
    void everyWarningAndEveryErrorCarriesItsEvent() {
        int lines = 0;
        for (Map.Entry<String, String> source : TEXTS.entrySet()) {
            assertThat(NAMELESS.matcher(source.getValue()).find())
                    .as("%s logs a warning without key-value pairs", source.getKey())
                    .isFalse();
            for (Matcher loud = LOUD.matcher(source.getValue()); loud.find(); lines++) {
                assertThat(loud.group()).as(source.getKey()).contains("addKeyValue(EventNames.KEY, ");
            }
        }
        assertThat(lines).isGreaterThan(20);
    }

    @Test
    void everyEventIsLogged() {
        List<String> elsewhere = TEXTS.entrySet().stream()
                .filter(source -> !source.getKey().endsWith("EventNames.java"))
                .map(Map.Entry::getValue)
                .toList();
        assertThat(Arrays.stream(EventNames.values())
                        .filter(event ->
                                elsewhere.stream().noneMatch(text -> text.contains("EventNames." + event.name()))))
                .isEmpty();
    }
}
