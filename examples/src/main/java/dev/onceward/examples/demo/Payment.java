package dev.onceward.examples.demo;

import java.math.BigDecimal;

/**
 * The value of a message.
 *
 * @param account whose balance it changes
 * @param sequence number of this payment among those of the account, growing in the order of sending
 * @param amount what is added, to the cent; negative: taken away
 */
record Payment(int account, int sequence, BigDecimal amount) {}
