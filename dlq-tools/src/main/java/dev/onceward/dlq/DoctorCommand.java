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
        console.out()
                .println(Printable.line(
                        String.format(Locale.ROOT, "%-8s %-19s %s", state, finding.check(), finding.text())));
        if (!finding.advice().isEmpty()) {
            console.out().println(Printable.line(" ".repeat(28) + " → " + finding.advice()));
        }
    }

    private void write(List<Finding> findings) {
        try (RowWriter writer = format.writer(COLUMNS, console)) {
            findings.forEach(
                    finding -> writer.row(List.of(finding.state(), finding.check(), finding.text(), finding.advice())));
        }
    }
}
