package dev.onceward.chaos;

import java.time.Duration;
import java.util.Random;

/** What befalls worker processes. */
final class WorkerFaults {
    private WorkerFaults() {}

    static void kill(World world, Random random) throws InterruptedException {
        try (Fleet.Hold worker = world.fleet().takeMortal(random)) {
            worker.kill();
            Pause.between(0, 5_000, random);
        } // its place is filled again
    }

    /** Beyond the lease, and as often as not beyond Kafka's patience. */
    static void freeze(World world, Random random) throws InterruptedException {
        try (Fleet.Hold worker = world.fleet().take(random)) {
            worker.process().freeze();
            try {
                Pause.between(2_000, 14_000, random);
            } finally {
                worker.process().resume();
            }
        }
    }

    static void replace(World world, Random random) throws InterruptedException {
        try (Fleet.Hold worker = world.fleet().takeMortal(random)) {
            worker.stop();
        }
    }

    static void add(World world, Random random) throws InterruptedException {
        try (Fleet.Extra extra = world.fleet().add()) {
            Pause.between(8_000, 20_000, random);
            extra.leave();
        }
    }

    /** Behind or ahead by up to a quarter of an hour. */
    static void wrongClock(World world, Random random) throws InterruptedException {
        try (Fleet.Hold worker = world.fleet().takeMortal(random)) {
            worker.stop();
            worker.startWithClock(Duration.ofSeconds(random.nextInt(-900, 900)));
            Pause.between(8_000, 20_000, random);
            worker.stop();
        }
    }
}
