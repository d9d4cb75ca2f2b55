package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.effect.Member;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Fence;
import dev.onceward.postgres.FencedTransaction;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** In the tables of attempts, dead letters and claims. */
record DatabaseRecords(FencedTransaction fenced, Stores stores) implements FencedRecords {

    @Override
    public boolean countAttempts(
            Fence fence, RecordIdentity record, @Nullable String messageId, int attempts, Duration delay, String error)
            throws SQLException {
        return fenced.run(fence, c -> stores.attempts().record(c, record, messageId, attempts, delay, error));
    }

    @Override
    public boolean takeBackAttempt(Fence fence, RecordIdentity record, int attempts) throws SQLException {
        return fenced.run(fence, c -> stores.attempts().takeBack(c, record, attempts));
    }

    @Override
    public Optional<DeadLetter> decide(Fence fence, DeadLetter letter, byte @Nullable [] key) throws SQLException {
        DeadLetter[] recorded = {letter};
        boolean own = fenced.run(fence, c -> recorded[0] = stores.deadLetters().decide(c, letter, key));
        return own ? Optional.of(recorded[0]) : Optional.empty();
    }

    @Override
    public boolean confirm(Fence fence, DeadLetter letter, Coordinates copy) throws SQLException {
        return fenced.run(fence, c -> stores.deadLetters().confirm(c, letter, copy));
    }

    @Override
    public boolean unclaim(Fence fence, Member member) throws SQLException {
        return fenced.run(fence, c -> stores.afterEffects().unclaim(c, List.of(member)));
    }

    @Override
    public boolean isOwn(Fence fence) throws SQLException {
        return fenced.run(fence, c -> {});
    }
}
