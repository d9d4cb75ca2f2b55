package dev.onceward.examples.demo;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/** Follows the run in a thread of its own: shows it, and knows how far it is and whether it moves. */
final class Progress implements AutoCloseable {

    private static final long INTERVAL_MILLIS = 400;
    private static final Duration RATE_WINDOW = Duration.ofSeconds(4);

    private final Tracker tracker;
    private final Screen screen;
    private final int messages;
    private final BooleanSupplier hopeless;
    private final Thread thread;
    private final Deque<Sample> samples = new ArrayDeque<>();
    private volatile Tracker.Position position = new Tracker.Position(0, 0, Duration.ZERO);
    private volatile long movedAt = System.nanoTime();

    private record Sample(long at, long effects) {}

    /**
     * Begins to follow.
     *
     * @param messages that are to take effect
     * @param hopeless whether nobody is left who could go on
     */
    Progress(Tracker tracker, Screen screen, int messages, BooleanSupplier hopeless) {
        this.tracker = tracker;
        this.screen = screen;
        this.messages = messages;
        this.hopeless = hopeless;
        this.thread = new Thread(this::follow, "demo-progress");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Waits until the run is so far.
     *
     * @return false if for so long nothing moved, or it is hopeless
     */
    boolean await(Predicate<Tracker.Position> farEnough, Duration patience) throws InterruptedException {
        movedAt = System.nanoTime();
        while (!farEnough.test(position)) {
            if (hopeless.getAsBoolean() || System.nanoTime() - movedAt > patience.toNanos()) {
                return false;
            }
            Thread.sleep(50);
        }
        return true;
    }

    private void follow() {
        try {
            while (true) {
                Tracker.Position now = tracker.position();
                if (now.effects() != position.effects() || now.finished() != position.finished()) {
                    movedAt = System.nanoTime();
                }
                position = now;
                screen.progress(now, messages, rate(now.effects()));
                Thread.sleep(INTERVAL_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (DemoException e) {
            screen.news(String.valueOf(e.getMessage()));
        }
    }

    private double rate(long effects) {
        long now = System.nanoTime();
        samples.addLast(new Sample(now, effects));
        while (now - samples.getFirst().at() > RATE_WINDOW.toNanos()) {
            samples.removeFirst();
        }
        Sample first = samples.getFirst();
        return now == first.at() ? 0 : (effects - first.effects()) * 1e9 / (now - first.at());
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(5_000);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        screen.endProgress();
    }
}
