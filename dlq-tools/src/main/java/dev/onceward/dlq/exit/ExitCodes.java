package dev.onceward.dlq.exit;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** The exit codes of every command. Scripts rely on them: public API, kept from version to version. */
public final class ExitCodes {
    /** All that was asked for is done. */
    public static final int DONE = 0;
    /** Some of it could not be done; standard error says what. */
    public static final int SOME_FAILED = 1;
    /** The command line, or the configuration file, is wrong. */
    public static final int USAGE = 2;
    /** Kafka or PostgreSQL cannot be reached, or lets nobody in with these settings. */
    public static final int CANNOT_CONNECT = 3;
    /** It could be done and would be wrong: nothing was changed. */
    public static final int REFUSED = 4;

    private static final List<String> MEANINGS = List.of(
            "done",
            "some of it could not be done, was interrupted, or failed again",
            "wrong usage",
            "cannot connect to Kafka or PostgreSQL, or the connection was lost",
            "refused: it would be wrong to do, or you said no");

    // The shell's own way to say that a process was ended by a signal: whoever has nothing to finish does not catch it.
    private static final SortedMap<Integer, String> SIGNALS = new TreeMap<>(Map.of(
            130, "ended by Ctrl-C while it only looked or served, as age --watch", 143, "the same, ended by SIGTERM"));

    private ExitCodes() {}

    /** What they mean to people: the first is that of 0. */
    public static List<String> meanings() {
        return MEANINGS;
    }

    /** Those of a process that a signal ended and that had nothing to finish, and what they mean. */
    public static SortedMap<Integer, String> signals() {
        return Collections.unmodifiableSortedMap(SIGNALS);
    }
}
