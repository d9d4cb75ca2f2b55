package dev.onceward.examples.demo;

import org.jspecify.annotations.Nullable;

/**
 * A row of {@code dead_letters}.
 *
 * @param record the record that was given up
 * @param copy the copy in the dead-letter topic that counts; null: none yet
 */
record DeadLetterRow(
        Place record,
        @Nullable String messageId,
        String status,
        @Nullable Place copy) {}
