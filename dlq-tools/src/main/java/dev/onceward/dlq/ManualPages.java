package dev.onceward.dlq;

import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.exit.ExitCodes;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Layout;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Lays out {@code --help} of all commands as pages of a manual, in one way. */
final class ManualPages {
    private static final String INDENT = "  ";
    private static final String DEEPER = "      ";

    private ManualPages() {}

    /** For this command and all below it. */
    static void layOut(CommandLine commands) {
        Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>();
        sections.put("NAME", ManualPages::name);
        sections.put("SYNOPSIS", ManualPages::synopsis);
        sections.put("DESCRIPTION", ManualPages::description);
        sections.put("COMMANDS", Help::commandList);
        sections.put("OPTIONS", help -> options(help, false));
        sections.put("CONNECTION OPTIONS", help -> options(help, true));
        sections.put("EXAMPLES", ManualPages::examples);
        sections.put("EXIT STATUS", help -> exitStatus());
        sections.put("SEE ALSO", ManualPages::seeAlso);
        Map<String, IHelpSectionRenderer> headed = new LinkedHashMap<>();
        sections.forEach((heading, body) -> headed.put(heading, help -> headed(help, heading, body.render(help))));
        commands.setHelpSectionMap(headed);
        commands.setHelpSectionKeys(List.copyOf(headed.keySet()));
    }

    private static String headed(Help help, String heading, String body) {
        if (body.isEmpty()) {
            return "";
        }
        boolean first = heading.equals("NAME");
        return (first ? "" : "\n") + help.colorScheme().ansi().string("@|bold " + heading + "|@") + "\n" + body;
    }

    private static String name(Help help) {
        CommandSpec spec = help.commandSpec();
        String[] description = spec.usageMessage().description();
        String line = description.length == 0 ? "" : description[0].replaceAll("\\.$", "");
        return wrap(spec.qualifiedName() + " - " + line, INDENT, DEEPER, width(spec));
    }

    private static String synopsis(Help help) {
        help.commandSpec().usageMessage().abbreviateSynopsis(true);
        return INDENT + help.synopsis(INDENT.length());
    }

    private static String description(Help help) {
        String[] description = help.commandSpec().usageMessage().description();
        // The first line stands under NAME, unless it is all there is.
        List<String> paragraphs = new ArrayList<>(Arrays.asList(description));
        if (paragraphs.size() > 2) {
            paragraphs.subList(0, 2).clear();
        }
        StringBuilder text = new StringBuilder();
        paragraphs.forEach(paragraph ->
                text.append(paragraph.isEmpty() ? "\n" : wrap(paragraph, INDENT, INDENT, width(help.commandSpec()))));
        return text.toString();
    }

    private static String options(Help help, boolean connection) {
        CommandSpec spec = help.commandSpec();
        List<OptionSpec> options = spec.options().stream()
                .filter(option -> isConnection(option) == connection)
                .filter(option -> !option.hidden())
                // Those of picocli itself, which have no order, stand behind the command's own.
                .sorted(Comparator.comparingInt(option -> option.order() < 0 ? Integer.MAX_VALUE : option.order()))
                .toList();
        Layout layout = help.createDefaultLayout(options, spec.positionalParameters(), help.colorScheme());
        if (!connection) {
            layout.addPositionalParameters(spec.positionalParameters(), help.parameterLabelRenderer());
        }
        layout.addOptions(options, help.parameterLabelRenderer());
        return layout.toString();
    }

    private static boolean isConnection(OptionSpec option) {
        return option.userObject() instanceof Field field && field.getDeclaringClass() == ConnectionOptions.class;
    }

    private static String examples(Help help) {
        StringBuilder text = new StringBuilder();
        manual(help.commandSpec()).ifPresent(manual -> {
            for (Manual.Example example : manual.examples()) {
                text.append(text.isEmpty() ? "" : "\n")
                        .append(wrap(example.does() + ":", INDENT, INDENT, width(help.commandSpec())))
                        .append(DEEPER)
                        .append(example.command())
                        .append('\n');
            }
        });
        return text.toString();
    }

    private static String seeAlso(Help help) {
        CommandSpec spec = help.commandSpec();
        List<String> names = new ArrayList<>();
        manual(spec).ifPresent(manual -> Arrays.stream(manual.seeAlso()).forEach(name -> names.add("dlq " + name)));
        if (spec.parent() != null && !names.contains(spec.parent().qualifiedName())) {
            names.add(spec.parent().qualifiedName());
        }
        return names.isEmpty() ? "" : wrap(String.join(", ", names), INDENT, INDENT, width(spec));
    }

    static Optional<Manual> manual(CommandSpec spec) {
        return Optional.ofNullable(spec.userObject().getClass().getAnnotation(Manual.class));
    }

    private static String exitStatus() {
        StringBuilder text = new StringBuilder();
        List<String> meanings = ExitCodes.meanings();
        for (int code = 0; code < meanings.size(); code++) {
            text.append(INDENT)
                    .append(code)
                    .append(INDENT)
                    .append(meanings.get(code))
                    .append('\n');
        }
        ExitCodes.signals()
                .forEach((code, meaning) -> text.append(INDENT)
                        .append(code)
                        .append(INDENT)
                        .append(meaning)
                        .append('\n'));
        return text.toString();
    }

    private static int width(CommandSpec spec) {
        return spec.usageMessage().width();
    }

    private static String wrap(String text, String first, String rest, int width) {
        StringBuilder wrapped = new StringBuilder();
        StringBuilder line = new StringBuilder(first);
        boolean begun = false;
        for (String word : text.split(" ", -1)) {
            if (begun && line.length() + 1 + word.length() >= width) {
                wrapped.append(line).append('\n');
                line = new StringBuilder(rest);
                begun = false;
            }
            line.append(begun ? " " : "").append(word);
            begun = true;
        }
        return wrapped.append(line).append('\n').toString();
    }
}
