package dev.onceward.chaos;

import java.util.Random;

/** Something that goes wrong. */
@FunctionalInterface
interface Fault {
    /**
     * Strikes, and returns when all is well again, as far as this fault goes. Runs in a thread of its own, while others may
     * strike elsewhere.
     *
     * @param random decides where and how long
     * @throws MissedException there was nothing to hurt
     * @throws Exception it could not be done, which ends the run: a fault that does not happen proves nothing
     */
    void strike(World world, Random random) throws Exception;
}
