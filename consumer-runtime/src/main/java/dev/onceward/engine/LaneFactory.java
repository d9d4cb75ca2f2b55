package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import java.util.List;
import java.util.stream.IntStream;

/** Makes the lanes of a worker, and for each of their threads what runs and settles its messages. */
final class LaneFactory {
    private final EngineParts parts;
    private final ConsumerSettings settings;
    private final Outside outside;
    private final LaneParts shared;
    private final Preparation preparation;
    private final Turns turns;

    LaneFactory(EngineParts parts, Outside outside, Gate gate, Backoff backoff, Worker worker) {
        this.parts = parts;
        this.settings = parts.settings();
        this.outside = outside;
        this.shared = new LaneParts(
                worker,
                gate,
                outside.records(),
                outside.publisher(),
                new Letters(parts.workerId(), parts.clock()),
                backoff,
                new Classifier(parts.classifier()),
                settings.idReuse(),
                parts.meters(),
                parts.clock(),
                outside.machine());
        this.turns = new Turns(outside.machine());
        this.preparation = new Preparation(
                parts.routes(), shared.letters(), settings.retry().maxAttempts());
    }

    /** All lanes, the first one first: a key's lane is found by its number. */
    List<Lane> lanes() {
        return IntStream.range(0, settings.concurrency().lanes())
                .mapToObj(number -> new Lane(
                        number,
                        parts.threads(),
                        shared.gate(),
                        turns,
                        new GroupSizer(
                                settings.concurrency().maxGroupSize(),
                                settings.concurrency().groupBudget()),
                        this::work,
                        shared.worker(),
                        outside.machine()))
                .toList();
    }

    private LaneWork work(Lane lane) {
        TransactionWatch watch = new TransactionWatch();
        Moves moves = new Moves(lane, shared);
        Settlement settlement = new Settlement(shared, moves, new GivingUp(lane, shared, moves));
        return new LaneWork(
                lane,
                shared.gate(),
                outside.transactions().apply(watch),
                watch,
                new Decoding(lane, watch, parts.limits(), preparation, settlement, outside.machine()),
                settlement,
                new BrokenWorker(lane, shared),
                new Conflicts(parts.random()),
                outside.machine());
    }
}
