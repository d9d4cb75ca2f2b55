package dev.onceward.examples.demo;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Map;

/** Compares the ledger, row by row in the order of the effects, with what was planned. */
final class EffectTally {

    private final Plan plan;
    private final BitSet seen = new BitSet();
    private final int[] lastSequence;
    private final BigDecimal[] entered;
    private long effects;
    private long doubled;
    private long outOfOrder;
    private long foreign;

    EffectTally(Plan plan) {
        this.plan = plan;
        this.lastSequence = new int[plan.accounts()];
        this.entered = new BigDecimal[plan.accounts()];
        Arrays.fill(entered, BigDecimal.ZERO);
    }

    /** Takes the next row. */
    void accept(String messageId, int account, int sequence, BigDecimal amount) {
        effects++;
        if (account >= 0 && account < entered.length) {
            entered[account] = entered[account].add(amount);
        }
        int index = PlannedMessage.indexOf(messageId);
        if (index < 0 || index >= plan.messages() || !matches(plan.message(index), account, sequence, amount)) {
            foreign++;
        } else if (seen.get(index)) {
            doubled++;
        } else {
            seen.set(index);
            if (sequence <= lastSequence[account]) {
                outOfOrder++;
            }
            lastSequence[account] = Math.max(lastSequence[account], sequence);
        }
    }

    private static boolean matches(PlannedMessage message, int account, int sequence, BigDecimal amount) {
        return !message.bad()
                && message.key() == account
                && message.sequence() == sequence
                && message.amount().compareTo(amount) == 0;
    }

    /** Rows. */
    long effects() {
        return effects;
    }

    /** Good messages without a row. */
    long lost() {
        return plan.uniqueGood() - (long) seen.cardinality();
    }

    /** Rows beyond the first of a message. */
    long doubled() {
        return doubled;
    }

    /** First rows of a message that stand behind a later message of their account. */
    long outOfOrder() {
        return outOfOrder;
    }

    /** Rows of no good message, or with other content than it had. */
    long foreign() {
        return foreign;
    }

    /** Accounts whose balance, or the sum of whose rows, is not to the cent what their good messages add up to. */
    long accountsOff(Map<Integer, BigDecimal> balances) {
        BigDecimal[] expected = new BigDecimal[entered.length];
        Arrays.fill(expected, BigDecimal.ZERO);
        for (int index = 0; index < plan.messages(); index++) {
            PlannedMessage message = plan.message(index);
            if (!message.bad()) {
                expected[message.key()] = expected[message.key()].add(message.amount());
            }
        }
        long off = 0;
        for (int account = 0; account < expected.length; account++) {
            BigDecimal balance = balances.get(account);
            if (balance == null
                    || balance.compareTo(expected[account]) != 0
                    || entered[account].compareTo(expected[account]) != 0) {
                off++;
            }
        }
        return off;
    }
}
