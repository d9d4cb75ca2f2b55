package dev.onceward.examples.demo;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;

/** Whether there is something left to do in each partition, and sees to it that there is when a fault strikes. */
final class Load {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration BETWEEN_TOP_UPS = Duration.ofSeconds(10);

    private final Plan plan;
    private final Publisher publisher;
    private final DatabaseView database;

    /** Messages that must wait in each partition before a fault strikes: some of them are done by the time it does. */
    private final int leastBacklog;

    Load(Plan plan, Publisher publisher, DatabaseView database) {
        this.plan = plan;
        this.publisher = publisher;
        this.database = database;
        this.leastBacklog = 30 + plan.messages() / 1_000;
    }

    /**
     * The load at one moment.
     *
     * @param progress part of the unique messages that took effect
     * @param smallestBacklog of all partitions the smallest number of good messages that stand in the topic and have not
     *     taken effect
     */
    record Measure(double progress, long smallestBacklog) {

        /** What a fault must strike under. */
        boolean enough() {
            return smallestBacklog > 0 && progress >= 0.1 && progress <= 0.9;
        }

        /** The weaker of two. */
        Measure and(Measure later) {
            return new Measure(later.progress, Math.min(smallestBacklog, later.smallestBacklog));
        }
    }

    /** Counts in the database. */
    Measure measure() throws SQLException {
        // The topic first: what is sent in between can only make the backlog larger than said here.
        long[] sent = publisher.sent().uniqueGood();
        long[] effects = database.effects(plan.partitions());
        long smallest = Long.MAX_VALUE;
        for (int partition = 0; partition < sent.length; partition++) {
            smallest = Math.min(smallest, sent[partition] - effects[partition]);
        }
        return new Measure((double) Arrays.stream(effects).sum() / plan.messages(), smallest);
    }

    /** Has more sent until enough waits in each partition, as far as the plan has enough. */
    Measure topUp() throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        Measure measure = measure();
        while (measure.smallestBacklog() < leastBacklog
                && publisher.allowed() < plan.records()
                && System.nanoTime() - deadline < 0) {
            publisher.allow(publisher.allowed() + plan.partitions() * leastBacklog);
            int allowed = publisher.allowed();
            if (!Poll.until(PATIENCE, () -> publisher.sent().total() >= allowed)) {
                break;
            }
            measure = measure();
        }
        return measure;
    }

    /** As {@link Poll#until}; meanwhile sees to it that each partition has work: an idle one is not taken over. */
    boolean until(Duration atMost, Poll.Condition condition) throws InterruptedException, SQLException {
        long deadline = System.nanoTime() + atMost.toNanos();
        while (!Poll.until(BETWEEN_TOP_UPS, condition)) {
            if (System.nanoTime() - deadline > 0) {
                return false;
            }
            topUp();
        }
        return true;
    }
}
