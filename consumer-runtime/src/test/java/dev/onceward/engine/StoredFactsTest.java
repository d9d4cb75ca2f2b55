package dev.onceward.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.deadletter.DeadLetterTable.Stored;
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
        StoredFacts facts = new StoredFacts(List.of(attempts(RECORD)), List.of(), 0);
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
        for (List<Stored> rows : List.of(
                List.of(letter(RECORD, DeadLetterStatus.DEAD), letter(now, DeadLetterStatus.PENDING)),
                List.of(letter(now, DeadLetterStatus.PENDING), letter(RECORD, DeadLetterStatus.DEAD)))) {
            StoredFacts facts = new StoredFacts(List.of(), rows, 0);
            assertThat(facts.deadLetterOf(now).map(Stored::status)).contains(DeadLetterStatus.PENDING);
            assertThat(facts.deadLetterOf(RECORD).map(Stored::status)).contains(DeadLetterStatus.DEAD);
            assertThat(facts.contradict(now)).isFalse();
        }
    }

    @Test
    void aDelayCountsFromWhenItWasRead() {
        StoredFacts facts = new StoredFacts(List.of(attempts(RECORD)), List.of(), 500);
        assertThat(facts.attemptsOf(RECORD).map(facts::dueNanos))
                .contains(500 + Duration.ofSeconds(3).toNanos());
    }

    private static RecordIdentity record(UUID topic, long timestamp, long hash) {
        return new RecordIdentity(new Coordinates("payments", 0, 5), topic, timestamp, hash);
    }

    private static Attempts attempts(RecordIdentity record) {
        return new Attempts(record, 2, Duration.ofSeconds(3), Instant.EPOCH, "error", "id");
    }

    private static Stored letter(RecordIdentity record, DeadLetterStatus status) {
        return new Stored(
                new DeadLetter(
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
                        1),
                status);
    }
}
