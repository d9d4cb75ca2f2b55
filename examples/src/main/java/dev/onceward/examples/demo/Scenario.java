package dev.onceward.examples.demo;

import dev.onceward.testsupport.BackendsMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What one run of the demo does.
 *
 * @param messages unique messages, the bad ones included
 * @param workers worker processes at a time
 * @param kills workers ended with SIGKILL and started again
 * @param pauses workers stopped with SIGSTOP past their lease and continued
 * @param dbRestarts restarts of PostgreSQL
 * @param seed decides messages, duplicates, and when what is broken
 * @param backends where Kafka and PostgreSQL come from
 * @param claims false: the control run, in which no claim stays
 */
record Scenario(
        int messages,
        int workers,
        int kills,
        int pauses,
        int dbRestarts,
        long seed,
        BackendsMode backends,
        boolean claims) {

    /** Messages that every handler refuses. */
    static final int UNPROCESSABLE = 20;

    /** Messages whose bytes are no payment. */
    static final int UNDECODABLE = 10;

    /** Lane threads of each worker. */
    static final int LANES = 4;

    private static final int MINIMUM_MESSAGES = 1_000;
    private static final int MESSAGES_PER_FAULT = 400;

    /** Rough times from the strike until every partition is worked on again. */
    private static final Duration KILL_RECOVERY = Duration.ofSeconds(7);

    private static final Duration PAUSE_RECOVERY = Duration.ofSeconds(9);
    private static final Duration RESTART_RECOVERY = Duration.ofSeconds(3);

    /** Which part of the run those times must fit into: a fault strikes between 10% and 90%. */
    private static final double SHARE_UNDER_FAULTS = 0.7;

    /** All that is wrong with it, for the one who chose the options; empty if nothing is. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        within(problems, "--messages", messages, MINIMUM_MESSAGES, 10_000_000);
        within(problems, "--workers", workers, 1, 16);
        within(problems, "--kills", kills, 0, 100);
        within(problems, "--pauses", pauses, 0, 100);
        within(problems, "--db-restarts", dbRestarts, 0, 100);
        if (pauses > 0 && workers == 1) {
            problems.add("--pauses needs --workers of at least 2: another worker has to take over from the frozen one");
        }
        if (problems.isEmpty() && messages < (long) MESSAGES_PER_FAULT * faults()) {
            problems.add("--messages must be at least " + MESSAGES_PER_FAULT * faults() + " for " + faults()
                    + " faults, so that each of them strikes under load");
        }
        return problems;
    }

    int faults() {
        return kills + pauses + dbRestarts;
    }

    /** Messages that are sent twice. */
    int duplicates() {
        return messages / 20;
    }

    int partitions() {
        return Math.max(6, 2 * workers);
    }

    /**
     * How long the handler takes for one payment, standing for the call to another system that a real one makes. Long
     * enough that the messages last until the last fault: at full speed they would be gone before the first.
     */
    Duration handlerTime() {
        Duration recovery = KILL_RECOVERY
                .multipliedBy(kills)
                .plus(PAUSE_RECOVERY.multipliedBy(pauses))
                .plus(RESTART_RECOVERY.multipliedBy(dbRestarts));
        double run = recovery.toMillis() / SHARE_UNDER_FAULTS;
        return Duration.ofMillis(Math.min(100, Math.round(run * LANES * workers / messages)));
    }

    private static void within(List<String> problems, String option, int value, int least, int most) {
        if (value < least || value > most) {
            problems.add(option + " must be " + least + " to " + most + ", not " + value);
        }
    }
}
