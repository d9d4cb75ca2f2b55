package dev.onceward.dlq;

import dev.onceward.dlq.connect.ConnectionOptions;
import dev.onceward.dlq.connect.Connections;
import dev.onceward.dlq.doctor.Doctor;
import dev.onceward.dlq.doctor.Finding;
import dev.onceward.dlq.exit.ExitCodes;
import dev.onceward.dlq.exit.UsageException;
import dev.onceward.dlq.output.Column;
import dev.onceward.dlq.output.Console;
import dev.onceward.dlq.output.OutputFormat;
import dev.onceward.dlq.output.Printable;
import dev.onceward.dlq.output.RowWriter;
import dev.onceward.dlq.output.Times;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code dlq doctor}. */
@Command(
        name = "doctor",
        description = {
            "Looks for what is wrong: connections, rights, tables, topics and their retention, workers, dead letters that"
                    + " hang.",
            "",
            "Changes nothing. Every problem comes with what to do. Exit code 1 if there is one; also where a connection"
                    + " fails, since that is a finding, too."
        },
        sortOptions = true,
        mixinStandardHelpOptions = true)
@Manual(
        examples = {
            @Manual.Example(does = "Everything", command = "dlq doctor"),
            @Manual.Example(
                    does = "One consumer whose claims are kept for two weeks",
                    command = "dlq doctor --consumer billing --claims-retention 14d")
        },
        seeAlso = {"workers", "age", "stats"})
final class DoctorCommand implements Callable<Integer> {
    private static final List<Column> COLUMNS =
            List.of(Column.whole("state"), Column.whole("check"), Column.text("finding"), Column.text("advice"));

    private static final int INDENT = 29;
    private static final int NARROWEST = 20;
    private static final int NARROW_INDENT = 4;

    private final Console console;

    @Option(
            names = "--claims-retention",
            paramLabel = "TIME",
            description = "How long workers keep claims (onceward.retention.claims), like 14d. Default: as long as the"
                    + " oldest claim is old, where older ones were pruned.",
            order = 20)
    private @Nullable String claimsRetention;

    @Mixin
    private DeadLetterPattern deadLetterPattern = new DeadLetterPattern();

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            description = "table, json, jsonl or csv. Default: ${DEFAULT-VALUE}.",
            defaultValue = "table",
            order = 22)
    private OutputFormat format = OutputFormat.TABLE;

    @Mixin
    private ConnectionOptions connection;

    DoctorCommand(Console console) {
        this.console = console;
        this.connection = new ConnectionOptions(console);
    }

    @Override
    public Integer call() throws SQLException {
        Optional<Duration> claims = claims();
        try (Connections connections = connection.connections()) {
            List<Finding> findings = new Doctor(connections, deadLetterPattern.value(), claims).run();
            if (format == OutputFormat.TABLE) {
                findings.forEach(this::print);
            } else {
                write(findings);
            }
            return findings.stream().anyMatch(finding -> finding.state() == Finding.State.PROBLEM)
                    ? ExitCodes.SOME_FAILED
                    : ExitCodes.DONE;
        }
    }

    private Optional<Duration> claims() {
        try {
            return Optional.ofNullable(claimsRetention).map(Times::duration);
        } catch (IllegalArgumentException e) {
            throw new UsageException("--claims-retention: " + e.getMessage());
        }
    }

    /** Lines and no table: what to do must be readable to its end. */
    private void print(Finding finding) {
        String state = finding.state().name().toLowerCase(Locale.ROOT);
        wrap(String.format(Locale.ROOT, "%-8s %-19s ", state, finding.check()), finding.text());
        if (!finding.advice().isEmpty()) {
            wrap(" ".repeat(INDENT) + "→ ", finding.advice());
        }
    }

    /**
     * On a terminal between words, the rest below its beginning; where that leaves no room, a little to the right. Commands for a shell stay on one line: they are there to be copied.
     */
    private void wrap(String begin, String text) {
        String printable = Printable.line(text);
        int width = console.terminal().width();
        if (!console.terminal().output() || printable.contains(".sh --")) {
            console.out().println(begin + printable);
            return;
        }
        int indent = width - begin.length() < NARROWEST ? NARROW_INDENT : begin.length();
        StringBuilder line = new StringBuilder(begin);
        int used = Printable.width(begin);
        boolean first = true;
        for (String word : printable.split(" ", -1)) {
            int columns = Printable.width(word);
            if (!first && used + 1 + columns > width) {
                console.out().println(line.toString().stripTrailing());
                line = new StringBuilder(" ".repeat(indent));
                used = indent;
                first = true;
            }
            line.append(first ? "" : " ").append(word);
            used += columns + (first ? 0 : 1);
            first = false;
        }
        console.out().println(line);
    }

    private void write(List<Finding> findings) {
        try (RowWriter writer = format.writer(COLUMNS, console)) {
            findings.forEach(
                    finding -> writer.row(List.of(finding.state(), finding.check(), finding.text(), finding.advice())));
        }
    }
}
