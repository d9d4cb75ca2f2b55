/** The {@code dlq} command. */
@NullMarked
package dev.onceward.dlq;

import org.jspecify.annotations.NullMarked;
