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

        assertThat(lines.count(EventNames.UNKNOWN_COMMIT)).isEqualTo(2);
        assertThat(lines.count(EventNames.REDELIVERED)).isZero();
    }
}
