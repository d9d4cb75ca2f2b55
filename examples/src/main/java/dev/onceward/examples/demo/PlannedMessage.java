package dev.onceward.examples.demo;

import java.math.BigDecimal;

/**
 * One message of the plan.
 *
 * @param index its number, from 0 in the order of first sending
 * @param key the account whose order it belongs to: the Kafka key, and what decides the partition
 */
record PlannedMessage(int index, Kind kind, int key, int sequence, BigDecimal amount) {

    private static final String ID_PREFIX = "payment-";

    /** What will become of it. */
    enum Kind {
        /** Takes effect. */
        GOOD,
        /** Names an account that does not exist: fails at each attempt. */
        UNKNOWN_ACCOUNT,
        /** An amount that the handler refuses for good. */
        OVER_LIMIT,
        /** Bytes that are no payment. */
        UNDECODABLE;

        boolean bad() {
            return this != GOOD;
        }
    }

    /** Message id. */
    String id() {
        return id(index);
    }

    static String id(int index) {
        return String.format("%s%07d", ID_PREFIX, index);
    }

    /** The number that stands in an id; -1 if it is none of the plan's. */
    static int indexOf(String id) {
        String digits = id.startsWith(ID_PREFIX) ? id.substring(ID_PREFIX.length()) : "";
        return digits.matches("\\d{7,9}") ? Integer.parseInt(digits) : -1;
    }

    boolean bad() {
        return kind.bad();
    }

    /** What the payment says; the account of an {@link Kind#UNKNOWN_ACCOUNT} is not its key. */
    Payment payment() {
        return new Payment(kind == Kind.UNKNOWN_ACCOUNT ? -key - 1 : key, sequence, amount);
    }
}
