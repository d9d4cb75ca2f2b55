package dev.onceward.examples.demo;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.EventNames;
import org.junit.jupiter.api.Test;

class EventLinesTest {

    @Test
    void countsByEvent() {
        EventLines lines = new EventLines();
        lines.accept("12:00:00.000 WARN  [lane-1] Lane gone during COMMIT event=\"unknown_commit\" topic=\"payments\"");
        lines.accept("12:00:00.001 INFO  [lane-1] Lane again event=\"unknown_commit\"");
        lines.accept("no event here: last_event=\"unknown_commit\"x");
        lines.accept("\tat some.stack.Trace");

        lines.accept(
                "12:00:02.000 INFO  [lane-2] S not run again event=\"redelivered\" messages=\"17\" first=\"p-1@5\"");
        lines.accept("12:00:02.000 INFO  [lane-2] S not run again event=\"redelivered\"");

        assertThat(lines.lines(EventNames.UNKNOWN_COMMIT)).isEqualTo(2);
        assertThat(lines.lines(EventNames.REDELIVERED)).isEqualTo(2);
        assertThat(lines.messages(EventNames.REDELIVERED)).isEqualTo(18);
        assertThat(lines.lines(EventNames.FENCED)).isZero();
    }
}
