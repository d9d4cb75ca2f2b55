package dev.onceward.dlq.doctor;

/**
 * What one check found.
 *
 * @param state how it is
 * @param check what was looked at: a few words, public API
 * @param text what was found
 * @param advice what to do; empty if there is nothing to do
 */
public record Finding(State state, String check, String text, String advice) {
    static Finding ok(String check, String text) {
        return new Finding(State.OK, check, text, "");
    }

    static Finding unknown(String check, String text, String advice) {
        return new Finding(State.UNKNOWN, check, text, advice);
    }

    static Finding problem(String check, String text, String advice) {
        return new Finding(State.PROBLEM, check, text, advice);
    }

    /** How it is. */
    public enum State {
        /** As it should be. */
        OK,
        /** Cannot be told from here. */
        UNKNOWN,
        /** Something is to be done. */
        PROBLEM
    }
}
