package dev.onceward.examples;

import java.math.BigDecimal;

/**
 * The value of the messages in the examples: {@code {"account": "alice", "amount": 12.50}}.
 *
 * @param account whose balance it changes
 * @param amount what is added; negative: taken away
 */
record Payment(String account, BigDecimal amount) {}
