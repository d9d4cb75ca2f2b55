package dev.onceward.dlq;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.Terminal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** Every command has a page, found by walking the tree of commands. */
class ManualPagesTest {
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");

    @ParameterizedTest
    @MethodSource("commands")
    void hasEverySection(String command) {
        String page = help(Terminal.NONE, command);

        assertThat(page)
                .startsWith("NAME\n  " + command + " - ")
                .containsSubsequence(
                        "\nSYNOPSIS\n  " + command,
                        "\nDESCRIPTION\n",
                        "\nOPTIONS\n",
                        "--help",
                        "\nEXAMPLES\n",
                        "\nEXIT STATUS\n",
                        "\nSEE ALSO\n")
                .doesNotContain("\u001b");
        assertThat(page.lines())
                .as("fits a terminal")
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(80));
    }

    @ParameterizedTest
    @MethodSource("commands")
    void hasExamplesThatParse(String command) {
        List<String> examples = ManualPages.manual(find(command).getCommandSpec()).stream()
                .flatMap(manual -> Arrays.stream(manual.examples()))
                .map(Manual.Example::command)
                .toList();

        assertThat(examples).as("examples of %s: see @Manual", command).isNotEmpty();
        for (String example : examples) {
            List<String> words = words(example);
            assertThat(words).startsWith("dlq");
            assertThatCode(() ->
                            tree(Terminal.NONE).parseArgs(words.stream().skip(1).toArray(String[]::new)))
                    .as(example)
                    .doesNotThrowAnyException();
            assertThat("dlq " + String.join(" ", words.subList(1, words.size())))
                    .startsWith(command.equals("dlq") ? "dlq " : command);
        }
    }

    @ParameterizedTest
    @MethodSource("commands")
    void seesOtherCommandsThatExist(String command) {
        ManualPages.manual(find(command).getCommandSpec()).stream()
                .flatMap(manual -> Arrays.stream(manual.seeAlso()))
                .filter(name -> !name.startsWith("COMMAND"))
                .forEach(name -> assertThat(find("dlq " + name)).isNotNull());
    }

    @Test
    void connectionOptionsStandByThemselves() {
        String page = help(Terminal.NONE, "dlq replay");

        assertThat(page)
                .containsSubsequence("\nOPTIONS\n", "--canary", "\nCONNECTION OPTIONS\n", "--db-url", "\nEXAMPLES\n");
        assertThat(page.indexOf("--db-url")).isEqualTo(page.lastIndexOf("--db-url="));
        assertThat(help(Terminal.NONE, "dlq completion")).doesNotContain("CONNECTION OPTIONS");
    }

    @Test
    void coloursOnlyOnATerminalThatMayHaveThem() {
        assertThat(help(new Terminal(true, true, true, 80, true), "dlq list")).contains("\u001b[1mNAME");
        assertThat(help(new Terminal(true, true, true, 80, false), "dlq list")).doesNotContain("\u001b");
        assertThat(help(new Terminal(true, false, true, 80, true), "dlq list")).doesNotContain("\u001b");
    }

    @Test
    void exitCodesMeanTheSameInTheReadme() throws IOException {
        String readme = Files.readString(Path.of("README.md"));
        List<String> meanings = ExitCodes.meanings();
        for (int code = 0; code < meanings.size(); code++) {
            assertThat(readme).contains("| " + code + " | " + meanings.get(code) + " |\n");
        }
        ExitCodes.signals()
                .forEach((code, meaning) -> assertThat(readme).contains("| " + code + " | " + meaning + " |\n"));
    }

    // ---- helpers ----

    static Stream<String> commands() {
        List<String> names = new ArrayList<>();
        collect(tree(Terminal.NONE), names);
        assertThat(names).contains("dlq", "dlq list", "dlq workers evict", "dlq completion");
        return names.stream();
    }

    private static void collect(CommandLine command, List<String> names) {
        names.add(command.getCommandSpec().qualifiedName());
        command.getSubcommands().values().forEach(sub -> collect(sub, names));
    }

    private static CommandLine find(String command) {
        CommandLine found = tree(Terminal.NONE);
        for (String name : command.split(" ", -1)) {
            found = name.equals("dlq") ? found : found.getSubcommands().get(name);
        }
        return found;
    }

    private static CommandLine tree(Terminal terminal) {
        Console process = Console.ofProcess();
        return DlqMain.commandLine(
                new Console(process.in(), process.out(), process.err(), Map.of(), terminal, process.secrets()));
    }

    private static String help(Terminal terminal, String command) {
        List<String> words = new ArrayList<>(List.of(command.split(" ", -1)));
        words.remove(0);
        words.add("--help");
        Runs.Run run = Runs.dlq(Map.of(), terminal, "", words.toArray(new String[0]));
        assertThat(run.exitCode()).isZero();
        return run.out();
    }

    /** As a shell would read them: only the command itself, without what is before, behind or around it. */
    private static List<String> words(String example) {
        String line = example.replaceFirst("^source <\\((.*)\\)$", "$1").replaceFirst("^.*\\| (?=dlq )", "");
        line = line.replaceFirst(" (\\||>|&&|<) .*$", "").replaceFirst(" \\|\\| .*$", "");
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            words.add(word.group(1) == null ? word.group(2) : word.group(1));
        }
        return words;
    }
}
