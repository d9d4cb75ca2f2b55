package dev.onceward.engine;

import dev.onceward.catalog.DeadLetterReason;
import dev.onceward.deadletter.DeadLetter;
import dev.onceward.effect.Member;
import dev.onceward.engine.SimDatabase.Dead;
import dev.onceward.engine.SimRecord.Behaviour;
import dev.onceward.handler.Coordinates;
import dev.onceward.postgres.Claim;
import dev.onceward.postgres.Fence;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;

/** What must hold after each step, told by the model alone: by what was committed where, in which order. */
final class Verdicts {
    private final Simulation simulation;
    private final int bound;
    private SimDatabase database;
    private final Map<Coordinates, SimRecord> records = new LinkedHashMap<>();
    private final Map<String, Coordinates> effects = new HashMap<>();
    private final Map<String, Long> lastOfKey = new HashMap<>();
    private final Map<String, Long> fetchingFrom = new HashMap<>();
    private final List<Coordinates> copies = new ArrayList<>();
    /** Records that were late, or there when a worker or a session ended. */
    private final Set<Coordinates> unlucky = new HashSet<>();

    /** @param bound most records of a partition that a worker may have fetched and not finished */
    Verdicts(Simulation simulation, int bound) {
        this.simulation = simulation;
        this.bound = bound;
    }

    void of(SimDatabase model) {
        database = model;
    }

    void known(SimRecord record) {
        records.put(record.coordinates(), record);
    }

    SimRecord record(Coordinates at) {
        return records.get(at);
    }

    // ---- after each step ----

    /** The effect of a message is committed. */
    void effect(Member member) {
        written(member.fence(), "an effect");
        SimRecord record = record(member.record().coordinates());
        String id = member.message().id();
        simulation.tell(() -> "effect of " + record.coordinates() + ", id " + id);
        Coordinates before = effects.putIfAbsent(id, record.coordinates());
        if (before != null) {
            simulation.fail("two effects of " + id + ": " + before + " and " + record.coordinates());
        }
        String key = record.partition() + "/" + record.key();
        Long last = lastOfKey.put(key, record.offset());
        if (last != null && last > record.offset()) {
            simulation.fail("effect of " + record.coordinates() + " after that of its key at " + last);
        }
        if (database.dead.containsKey(record.coordinates())) {
            simulation.fail("effect of " + record.coordinates() + ", which was given up");
        }
    }

    /** Something is committed under a fence. */
    void written(Fence fence, String what) {
        long generation = database.rows.get(fence.fenceKey()).generation;
        if (generation != fence.generation()) {
            simulation.fail(what + " is committed under generation " + fence.generation() + " of fence key "
                    + fence.fenceKey() + ", which is at " + generation);
        }
    }

    void counted(Coordinates at, int attempts, String error) {
        if (attempts > SimSettings.ATTEMPTS) {
            simulation.fail(attempts + " attempts of " + at + " are counted");
        }
        if (ofBadLuck(error)) {
            unlucky.add(at);
        }
        if (error.contains("COMMIT") || error.contains("shutting down") || error.contains("no route")) {
            simulation.fail("an attempt of " + at + " is counted for: " + error);
        }
    }

    void givenUp(DeadLetter letter) {
        SimRecord record = record(letter.record().coordinates());
        DeadLetterReason reason = letter.reason();
        boolean right = switch (reason) {
            case PERMANENT -> record.behaviour() == Behaviour.PERMANENT;
            case ID_REUSED ->
                records.values().stream()
                        .anyMatch(other -> other.id().equals(record.id()) && other.hash() != record.hash());
            case ATTEMPTS_EXHAUSTED -> letter.attempts() >= SimSettings.ATTEMPTS && mayFail(record, letter);
            default -> false;
        };
        if (record.coordinates().equals(effects.get(record.id()))) {
            simulation.fail(record + " is given up, whose effect is committed");
        }
        if (!right) {
            simulation.fail(record + " is given up for " + reason + " after " + letter.attempts() + " attempts");
        }
    }

    /** Whether its own behaviour, or what made it late, can have used its attempts up. */
    private boolean mayFail(SimRecord record, DeadLetter letter) {
        return record.behaviour() == Behaviour.POISON
                || record.times() >= SimSettings.ATTEMPTS
                || unlucky.contains(record.coordinates())
                || ofBadLuck(letter.errorMessage());
    }

    /** A thread that stood still makes any message late; one that was there when its worker ended is suspected. */
    private static boolean ofBadLuck(String error) {
        return error.contains("watchdog")
                || error.contains("limit")
                || error.contains("worker ended")
                || error.contains("session is gone");
    }

    long nextCopy() {
        return copies.size();
    }

    long published(DeadLetter letter) {
        copies.add(letter.record().coordinates());
        return copies.size() - 1L;
    }

    void confirmed(DeadLetter letter, Coordinates copy) {
        if (copy.offset() >= copies.size()
                || !copies.get((int) copy.offset()).equals(letter.record().coordinates())) {
            simulation.fail("the dead letter of " + letter.record().coordinates() + " names a copy that is not there");
        }
    }

    void committed(TopicPartition partition, long before, long offset) {
        if (offset < before) {
            simulation.fail("the committed offset of " + partition + " goes back from " + before + " to " + offset);
        }
        allFinishedBefore("the committed offset", partition, offset);
    }

    /** How far a partition has come is stored in the database. */
    void watermark(TopicPartition partition, long offset) {
        allFinishedBefore("the stored watermark", partition, offset);
    }

    private void allFinishedBefore(String what, TopicPartition partition, long offset) {
        records.values().forEach(record -> {
            if (record.partition().equals(partition) && record.offset() < offset && !finished(record)) {
                simulation.fail(what + " of " + partition + " is " + offset + ", past " + record);
            }
        });
    }

    void fetchingFrom(SimWorker worker, TopicPartition partition, long offset) {
        fetchingFrom.put(worker.name + partition, offset);
    }

    void fetched(SimWorker worker, SimRecord record) {
        long from = fetchingFrom.getOrDefault(worker.name + record.partition(), 0L);
        long unfinished = records.values().stream()
                .filter(other -> other.partition().equals(record.partition()))
                .filter(other -> other.offset() >= from && other.offset() <= record.offset() && !finished(other))
                .count();
        if (unfinished > bound) {
            simulation.fail(unfinished + " records of " + record.partition() + " are in flight");
        }
    }

    // ---- at the end ----

    boolean finished(SimRecord record) {
        Dead dead = database.dead.get(record.coordinates());
        if (dead != null) {
            return dead.finished();
        }
        Claim claim = database.claims.get(record.id());
        return claim != null && claim.payloadHash() == record.hash() && effects.containsKey(record.id());
    }

    boolean allFinished() {
        return records.values().stream().allMatch(this::finished);
    }

    void end(Map<TopicPartition, Long> ends, Map<TopicPartition, Long> committed) {
        for (SimRecord record : records.values()) {
            if (!finished(record)) {
                simulation.fail(record + " is not finished");
            }
            Dead dead = database.dead.get(record.coordinates());
            boolean effect = record.coordinates().equals(effects.get(record.id()));
            if (effect && dead != null && !dead.status().equals("RESOLVED")) {
                simulation.fail(record + " has an effect and a dead letter");
            }
        }
        database.claims.forEach((id, claim) -> {
            if (!effects.containsKey(id)) {
                simulation.fail("a claim of " + id + " without an effect");
            }
        });
        ends.forEach((partition, end) -> {
            if (committed.getOrDefault(partition, 0L) < end) {
                simulation.fail("all of " + partition + " is finished up to " + end + ", committed is "
                        + committed.get(partition));
            }
        });
    }
}
