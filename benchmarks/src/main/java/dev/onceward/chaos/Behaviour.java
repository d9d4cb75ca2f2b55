package dev.onceward.chaos;

import java.util.Locale;

/**
 * How the handler behaves for a message: written in the message, so that every worker behaves alike. What is wrong is
 * wrong at the first attempt only, unless it says otherwise.
 */
enum Behaviour {
    /** Declared updates, at once. */
    GOOD(9_603),
    /** SQL of its own on the transaction's handle. */
    OWN_SQL(300),
    /** Takes some hundred milliseconds. */
    SLOW(40),
    /** Throws after its updates. */
    THROWS(20),
    /** Fails for good, each time. */
    FAILS_FOR_EVER(10),
    /** Does not come back until it is interrupted at its limit. */
    HANGS(2),
    /** Does not come back though it is interrupted, for a while longer. */
    IGNORES_INTERRUPTS(1),
    /** Swallows the exception of an SQL error, which has ended the transaction. */
    SWALLOWS_SQL_ERROR(8),
    /** Throws an Error. */
    THROWS_ERROR(8),
    /** Tries to commit the transaction itself, each time; passes over the refusal. */
    COMMITS(8);

    /** Out of ten thousand. */
    private final int share;

    Behaviour(int share) {
        this.share = share;
    }

    /**
     * Drawn by share.
     *
     * @param number from 0 to 9,999
     */
    static Behaviour of(int number) {
        int left = number;
        for (Behaviour behaviour : values()) {
            left -= behaviour.share;
            if (left < 0) {
                return behaviour;
            }
        }
        return GOOD;
    }

    /** As the value of a message says it. */
    String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    static Behaviour parse(String text) {
        return valueOf(text.toUpperCase(Locale.ROOT));
    }
}
