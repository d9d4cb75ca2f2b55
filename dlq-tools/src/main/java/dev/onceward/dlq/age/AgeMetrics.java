package dev.onceward.dlq.age;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Ages in the text format of Prometheus. Names are public API; they are not those of the workers' own metrics, so that a
 * sum over both counts nothing twice.
 */
final class AgeMetrics {
    private AgeMetrics() {}

    static String text(List<PartitionAge> ages) {
        StringBuilder text = new StringBuilder();
        gauge(
                text,
                ages,
                "dlq_oldest_message_age_seconds",
                "age of the oldest message not finished; absent: unknown",
                age -> seconds(age.age()));
        gauge(
                text,
                ages,
                "dlq_oldest_message_age_known",
                "whether the age is known",
                age -> age.age() == null ? "0" : "1");
        gauge(
                text,
                ages,
                "dlq_lag_offsets",
                "offsets not finished; absent: unknown",
                age -> age.lag() == null ? null : age.lag().toString());
        gauge(text, ages, "dlq_dead_letters", "dead letters that wait", age -> String.valueOf(age.deadLetters()));
        gauge(
                text,
                ages,
                "dlq_oldest_dead_letter_age_seconds",
                "since when the oldest dead letter waits; absent: there is none",
                age -> seconds(age.deadLetterAge()));
        return text.toString();
    }

    private static void gauge(
            StringBuilder text,
            List<PartitionAge> ages,
            String name,
            String help,
            Function<PartitionAge, @Nullable String> value) {
        text.append("# HELP ").append(name).append(' ').append(help).append('\n');
        text.append("# TYPE ").append(name).append(" gauge\n");
        for (PartitionAge age : ages) {
            String number = value.apply(age);
            if (number != null) {
                text.append(name)
                        .append("{consumer=\"")
                        .append(escaped(age.consumer()))
                        .append("\",topic=\"")
                        .append(escaped(age.topic()))
                        .append("\",partition=\"")
                        .append(age.partition())
                        .append("\"} ")
                        .append(number)
                        .append('\n');
            }
        }
    }

    private static @Nullable String seconds(@Nullable Duration duration) {
        return duration == null ? null : String.format(Locale.ROOT, "%.3f", duration.toMillis() / 1000.0);
    }

    private static String escaped(String label) {
        return label.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    }
}
