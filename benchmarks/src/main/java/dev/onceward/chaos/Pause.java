package dev.onceward.chaos;

import java.util.Random;

/** How long something lasts. */
final class Pause {
    private Pause() {}

    /** Sleeps for a number of milliseconds between two. */
    static void between(int least, int most, Random random) throws InterruptedException {
        Thread.sleep(least + random.nextInt(most - least + 1));
    }
}
