package dev.onceward.engine;

import dev.onceward.deadletter.DeadLetter;
import dev.onceward.effect.Member;
import dev.onceward.engine.SimDatabase.Attempts;
import dev.onceward.engine.SimDatabase.Dead;
import dev.onceward.engine.SimDatabase.Tx;
import dev.onceward.handler.Coordinates;
import dev.onceward.message.RecordIdentity;
import dev.onceward.postgres.Fence;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Fenced writes into the model of the database. */
record SimRecords(SimDatabase database, SimWorker worker) implements FencedRecords {

    private boolean fenced(String what, Fence fence, Runnable write) throws SQLException {
        Tx tx = database.begin(worker);
        try {
            database.statement(tx, what);
            database.lockShared(tx, fence.fenceKey(), SimSettings.LOCK);
            if (!database.isOwn(fence)) {
                return false;
            }
            database.statement(tx, what);
            tx.writes.add(() -> {
                database.verdicts.written(fence, what);
                write.run();
            });
            database.commit(tx);
            return true;
        } finally {
            database.rollback(tx);
        }
    }

    @Override
    public boolean countAttempts(
            Fence fence, RecordIdentity record, @Nullable String messageId, int attempts, Duration delay, String error)
            throws SQLException {
        return fenced("count attempts", fence, () -> {
            Attempts before = database.attempts.get(record.coordinates());
            int most = before == null ? attempts : Math.max(before.attempts(), attempts);
            database.attempts.put(
                    record.coordinates(),
                    new Attempts(record, messageId, most, database.simulation.now() + delay.toNanos(), error));
            database.verdicts.counted(record.coordinates(), most, error);
            database.simulation.tell(() -> "attempt " + most + " of " + record.coordinates() + " is counted");
        });
    }

    @Override
    public boolean takeBackAttempt(Fence fence, RecordIdentity record, int attempts) throws SQLException {
        return fenced("take an attempt back", fence, () -> {
            Attempts before = database.attempts.get(record.coordinates());
            if (before != null && before.attempts() == attempts) {
                database.attempts.put(
                        record.coordinates(),
                        new Attempts(record, before.messageId(), attempts - 1, before.notBefore(), before.error()));
            }
        });
    }

    @Override
    public Optional<DeadLetter> decide(Fence fence, DeadLetter letter, byte @Nullable [] key) throws SQLException {
        Coordinates at = letter.record().coordinates();
        boolean own = fenced("decide", fence, () -> {
            database.dead.putIfAbsent(at, new Dead(letter, "PENDING", null));
            database.attempts.remove(at);
            database.verdicts.givenUp(letter);
            database.simulation.tell(() -> at + " is given up: " + letter.reason());
        });
        return own ? Optional.of(letter) : Optional.empty();
    }

    @Override
    public boolean confirm(Fence fence, DeadLetter letter, Coordinates copy) throws SQLException {
        Coordinates at = letter.record().coordinates();
        return fenced("confirm", fence, () -> {
            Dead row = database.dead.get(at);
            if (row != null && !row.finished()) {
                var claim = letter.messageId() == null ? null : database.claims.get(letter.messageId());
                boolean resolved =
                        claim != null && claim.payloadHash() == letter.record().payloadHash();
                database.dead.put(at, new Dead(letter, resolved ? "RESOLVED" : "DEAD", copy));
                database.verdicts.confirmed(letter, copy);
                database.simulation.tell(() -> at + " is dead, its copy is " + copy);
            }
        });
    }

    @Override
    public boolean unclaim(Fence fence, Member member) throws SQLException {
        return fenced(
                "unclaim", fence, () -> database.claims.remove(member.message().id()));
    }

    @Override
    public boolean isOwn(Fence fence) throws SQLException {
        return fenced("ask whose it is", fence, () -> {});
    }
}
