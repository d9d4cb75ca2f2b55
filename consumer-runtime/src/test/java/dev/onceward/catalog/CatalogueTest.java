package dev.onceward.catalog;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.MeterNames.Tag;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Names are public API: whoever changes one meets this test, and a dashboard or tool of somebody else. */
class CatalogueTest {

    @Test
    void headersAreThese() {
        assertThat(HeaderNames.values())
                .extracting(HeaderNames::key)
                .containsExactly(
                        "__dlq.errors.topic",
                        "__dlq.errors.partition",
                        "__dlq.errors.offset",
                        "__dlq.errors.group",
                        "__dlq.errors.delivery.count",
                        "__dlq.errors.message",
                        "onceward.dlq.message-id",
                        "onceward.dlq.reason",
                        "onceward.dlq.exception",
                        "onceward.dlq.stacktrace",
                        "onceward.dlq.first-failed-at",
                        "onceward.dlq.failed-at",
                        "onceward.dlq.original-timestamp",
                        "onceward.dlq.worker",
                        "onceward.dlq.generation",
                        "onceward.dlq.replays",
                        "onceward.replay.original-topic",
                        "onceward.replay.original-partition",
                        "onceward.replay.original-offset",
                        "onceward.replay.original-timestamp",
                        "onceward.replay.message-id",
                        "onceward.replay.count");
    }

    @Test
    void headersAreFoundByName() {
        assertThat(HeaderNames.find("onceward.dlq.reason")).contains(HeaderNames.DLQ_REASON);
        assertThat(HeaderNames.find("reason")).isEmpty();
    }

    @Test
    void headersOfAnotherVersionAreOursToo() {
        assertThat(HeaderNames.isOurs("__dlq.errors.message")).isTrue();
        assertThat(HeaderNames.isOurs("onceward.dlq.of-tomorrow")).isTrue();
        assertThat(HeaderNames.isOurs("onceward.replay.of-tomorrow")).isTrue();
        assertThat(HeaderNames.isOurs("__dlq.errors.of-tomorrow")).isFalse(); // Kafka's prefix, not ours
        assertThat(HeaderNames.isOurs("message-id")).isFalse();
        assertThat(HeaderNames.isOurs("onceward")).isFalse();
    }

    @Test
    void metersAndTheirTagsAreThese() {
        assertThat(Arrays.stream(MeterNames.values()).map(CatalogueTest::line))
                .containsExactlyInAnyOrder(
                        "onceward.messages COUNTER messages consumer,topic,outcome",
                        "onceward.attempts.failed COUNTER attempts consumer,topic,reason",
                        "onceward.retries.succeeded COUNTER messages consumer,topic",
                        "onceward.dead.letters COUNTER messages consumer,topic,reason",
                        "onceward.dead.letters.unpublished COUNTER attempts consumer,topic",
                        "onceward.handler TIMER seconds consumer,topic",
                        "onceward.end.to.end TIMER seconds consumer,topic",
                        "onceward.transaction TIMER seconds consumer",
                        "onceward.group.size SUMMARY messages consumer",
                        "onceward.oldest.message.age GAUGE seconds consumer,topic,partition",
                        "onceward.lag GAUGE messages consumer,topic,partition",
                        "onceward.partition.in.flight GAUGE messages consumer,topic,partition",
                        "onceward.records.lost COUNTER records consumer,topic",
                        "onceward.in.flight GAUGE messages consumer",
                        "onceward.in.flight.bytes GAUGE bytes consumer",
                        "onceward.partitions.paused GAUGE partitions consumer",
                        "onceward.keys.held GAUGE keys consumer",
                        "onceward.lanes.busy GAUGE lanes consumer",
                        "onceward.heartbeat.age GAUGE seconds consumer",
                        "onceward.outage GAUGE  consumer",
                        "onceward.worker.state GAUGE  consumer",
                        "onceward.takeovers COUNTER partitions consumer,outcome",
                        "onceward.fenced COUNTER partitions consumer",
                        "onceward.unknown.commits COUNTER transactions consumer",
                        "onceward.contention COUNTER transactions consumer",
                        "onceward.handlers.stuck COUNTER handlers consumer",
                        "onceward.clock.skew COUNTER messages consumer",
                        "onceward.claims.pruned COUNTER rows consumer",
                        "onceward.table.size GAUGE bytes consumer,table");
    }

    private static String line(MeterNames meter) {
        String tags = meter.tags().stream().map(Tag::key).collect(joining(","));
        return meter.meter() + " " + meter.type() + " " + meter.unit() + " " + tags;
    }

    @Test
    void eventsAreNamedOnce() {
        assertThat(EventNames.values())
                .extracting(EventNames::event)
                .doesNotHaveDuplicates()
                .allMatch(event -> event.matches("[a-z]+(_[a-z]+)*"))
                .contains("takeover", "fenced", "unknown_commit", "duplicate", "redelivered", "dead_letter")
                .contains("outage_begin", "outage_end", "records_lost", "two_owners", "handler_stuck")
                .contains("worker_failed", "id_reused", "stored_fact_ignored");
    }

    @Test
    void everyNameIsDocumentedInOneRow() {
        assertRows(HeaderNames.markdown(), Arrays.stream(HeaderNames.values()).map(HeaderNames::key));
        assertRows(MeterNames.markdown(), Arrays.stream(MeterNames.values()).map(MeterNames::meter));
        assertRows(EventNames.markdown(), Arrays.stream(EventNames.values()).map(EventNames::event));
    }

    private static void assertRows(String table, Stream<String> names) {
        long columns = table.lines()
                .findFirst()
                .orElseThrow()
                .chars()
                .filter(c -> c == '|')
                .count();
        assertThat(table.lines())
                .allMatch(row -> row.chars().filter(c -> c == '|').count() == columns);
        assertThat(table.lines().skip(2).map(row -> row.split("`", -1)[1])).containsExactlyElementsOf(names.toList());
    }
}
