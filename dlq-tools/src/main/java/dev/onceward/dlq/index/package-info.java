/** Reads the index of dead letters, the table {@code dead_letters}. */
@NullMarked
package dev.onceward.dlq.index;

import org.jspecify.annotations.NullMarked;
