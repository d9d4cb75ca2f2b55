package dev.onceward.engine;

import dev.onceward.config.ConsumerSettings;
import dev.onceward.deadletter.DeadLetterPublisher;
import dev.onceward.effect.EffectTransaction;
import dev.onceward.effect.GroupLimits;
import dev.onceward.effect.TransactionWatch;
import dev.onceward.failure.Backoff;
import dev.onceward.failure.Classifier;
import dev.onceward.postgres.FencedTransaction;
import dev.onceward.postgres.Opening;
import java.util.List;
import java.util.stream.IntStream;

/** Makes the lanes of a worker, and for each of their threads what runs and settles its messages. */
final class LaneFactory {
    private final EngineParts parts;
    private final ConsumerSettings settings;
    private final Stores stores;
    private final GroupLimits limits;
    private final Opening opening;
    private final LaneParts shared;
    private final Preparation preparation;
    private final Turns turns = new Turns();

    LaneFactory(
            EngineParts parts,
            Stores stores,
            Gate gate,
            DeadLetterPublisher publisher,
            Backoff backoff,
            Worker worker) {
        this.parts = parts;
        this.settings = parts.settings();
        this.stores = stores;
        this.limits = new GroupLimits(
                settings.limits().handler(),
                settings.concurrency().groupBudget(),
                settings.limits().lock());
        this.opening = new Opening(stores.database(), limits.transactionLimits());
        this.shared = new LaneParts(
                worker,
                gate,
                new FencedTransaction(stores.database(), limits.transactionLimits()),
                stores.attempts(),
                stores.deadLetters(),
                stores.afterEffects(),
                publisher,
                new Letters(parts.workerId(), parts.clock()),
                backoff,
                new Classifier(parts.classifier()),
                settings.idReuse(),
                parts.meters(),
                parts.clock());
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
                        shared.worker()))
                .toList();
    }

    private LaneWork work(Lane lane) {
        TransactionWatch watch = new TransactionWatch();
        Moves moves = new Moves(lane, shared);
        Settlement settlement = new Settlement(shared, moves, new GivingUp(lane, shared, moves));
        return new LaneWork(
                lane,
                shared.gate(),
                new EffectTransaction(
                        stores.database(),
                        opening,
                        stores.afterEffects(),
                        shared.classifier(),
                        limits,
                        watch,
                        parts.jdbi(),
                        parts.clock()),
                watch,
                new Decoding(lane, watch, limits, preparation, settlement),
                settlement,
                new BrokenWorker(lane, shared),
                new Conflicts(parts.random()));
    }
}
