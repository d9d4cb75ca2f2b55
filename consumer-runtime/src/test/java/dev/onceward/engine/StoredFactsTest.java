package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.AttemptTable.Attempts;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/** A stored fact applies only to the record that it is about. */
class StoredFactsTest {
    private static final UUID TOPIC = new UUID(1, 1);
    private static final UUID MADE_AGAIN = new UUID(2, 2);
    private static final RecordIdentity RECORD = record(TOPIC, 1_000, 77);

    @Test
    void appliesToTheSameRecordOnly() {
        StoredFacts facts = new StoredFacts(List.of(attempts(RECORD)), List.of(), new GivenUp(), 0);
        assertThat(facts.mention(5)).isTrue();
        assertThat(facts.mention(6)).isFalse();
        assertThat(facts.attemptsOf(RECORD)).isPresent();
        assertThat(facts.contradict(RECORD)).isFalse();
        for (RecordIdentity other :
                List.of(record(MADE_AGAIN, 1_000, 77), record(TOPIC, 1_001, 77), record(TOPIC, 1_000, 78))) {
            assertThat(facts.attemptsOf(other)).isEmpty();
            assertThat(facts.contradict(other)).isTrue();
        }
    }

    @Test
    void deadLettersOfATopicAndOfItsNamesakeStandSideBySide() {
        RecordIdentity now = record(MADE_AGAIN, 2_000, 88);
        GivenUp old = new GivenUp();
        old.add(RECORD);
        StoredFacts facts = new StoredFacts(List.of(), List.of(letter(now)), old, 0);
        assertThat(facts.unpublished(now)).contains(letter(now));
        assertThat(facts.givenUp(now)).isFalse();
        assertThat(facts.givenUp(RECORD)).isTrue();
        assertThat(facts.unpublished(RECORD)).isEmpty();
        assertThat(facts.contradict(now)).isFalse();
        assertThat(facts.contradict(RECORD)).isFalse();
        assertThat(facts.contradict(record(TOPIC, 3_000, 77))).isTrue();
    }

    @Test
    void aDelayCountsFromWhenItWasRead() {
        StoredFacts facts = new StoredFacts(List.of(attempts(RECORD)), List.of(), new GivenUp(), 500);
        assertThat(facts.attemptsOf(RECORD).map(facts::dueNanos))
                .contains(500 + Duration.ofSeconds(3).toNanos());
    }

    private static RecordIdentity record(UUID topic, long timestamp, long hash) {
        return new RecordIdentity(new Coordinates("payments", 0, 5), topic, timestamp, hash);
    }

    private static Attempts attempts(RecordIdentity record) {
        return new Attempts(record, 2, Duration.ofSeconds(3), Instant.EPOCH, "error", "id");
    }

    private static DeadLetter letter(RecordIdentity record) {
        return new DeadLetter(
                record,
                new Origin(record.coordinates(), record.timestamp(), 0),
                "id",
                DeadLetterReason.PERMANENT,
                "E",
                "e",
                "",
                1,
                Instant.EPOCH,
                Instant.EPOCH,
                "worker",
                1);
    }
}
