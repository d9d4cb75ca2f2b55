package dev.onceward.dlq.replay;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.onceward.catalog.DeadLetterStatus;
import dev.onceward.dlq.index.Letter;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.Origin;
import dev.onceward.message.RecordIdentity;
import java.time.Instant;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Letters of one partition. */
final class Letters {
    private static final UUID TOPIC_ID = new UUID(1, 2);

    private Letters() {}

    static Letter letter(long offset, @Nullable String key) {
        Coordinates coordinates = new Coordinates("payments", 0, offset);
        return new Letter(
                "billing",
                new RecordIdentity(coordinates, TOPIC_ID, 0, 0),
                new Origin(coordinates, 0, 0),
                "m" + offset,
                key == null ? null : key.getBytes(UTF_8),
                DeadLetterStatus.DEAD,
                DeadLetterStatus.DEAD,
                new Coordinates("dlq.payments", 0, offset),
                new Letter.Failure("PERMANENT", "", "", 1, Instant.EPOCH, Instant.EPOCH, "w", 1),
                new Letter.History(Instant.EPOCH, 0, null, null, null, null, null, null, null, null, null, null));
    }
}
