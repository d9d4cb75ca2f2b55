package dev.onceward.crash;

import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The steps between which a process may die: wherever it does, another worker goes on and every guarantee holds. Tests end
 * the process at each of them. Only tests can listen: the listener is set from this package alone, and there is none in
 * production, where passing a point reads one field.
 */
public enum CrashPoint {
    /** Nothing of the group was sent to the database. */
    BEFORE_CLAIM,
    /** Fenced and claimed, not committed. */
    AFTER_CLAIM,
    /** A handler has run. */
    AFTER_HANDLER,
    /** All is written, COMMIT is not sent. */
    BEFORE_COMMIT,
    /** Committed; the worker has not noted it. */
    AFTER_COMMIT,

    /** A message is to be given up, and no row says so. */
    BEFORE_DECISION,
    /** The row is PENDING. */
    AFTER_DECISION,
    /** The dead letter was handed to the producer. */
    BEFORE_ACKNOWLEDGEMENT,
    /** The broker has it, the row is still PENDING. */
    AFTER_ACKNOWLEDGEMENT,
    /** About to make the row DEAD. */
    BEFORE_CONFIRMATION,
    /** The row is DEAD, the offset not complete. */
    AFTER_CONFIRMATION,

    /** Watermarks are to be committed to Kafka. */
    BEFORE_OFFSET_COMMIT,
    /** The broker has them. */
    AFTER_OFFSET_COMMIT,

    /** In Kafka's callback: partitions came. */
    ASSIGNED,
    /** In Kafka's callback: partitions go, nothing was drained. */
    REVOKED,
    /** They were drained, committed and released. */
    GIVEN_BACK,
    /** In Kafka's callback: partitions are gone without notice. */
    LOST,

    /** A takeover begins. */
    BEFORE_TAKEOVER,
    /** The generation is raised, not committed. */
    GENERATION_RAISED,
    /** The takeover has committed; nothing was run under it. */
    TAKEN_OVER,
    /** A heartbeat is written, not committed. */
    BEFORE_HEARTBEAT,
    /** It has committed. */
    AFTER_HEARTBEAT,

    /** The worker was told to stop. */
    STOPPING,
    /** Its partitions are given back, it is still in the group. */
    LEAVING,
    /** It has left the group, and its threads end. */
    LEFT;

    private static volatile @Nullable Consumer<CrashPoint> listener;

    /** The path has come here. */
    public void reached() {
        Consumer<CrashPoint> current = listener;
        if (current != null) {
            current.accept(this);
        }
    }

    /** For tests: called in the thread that has come to a point. */
    static void listen(Consumer<CrashPoint> newListener) {
        listener = newListener;
    }
}
