/** Reads dead letters from their topic and sends them again. */
@NullMarked
package dev.onceward.dlq.replay;

import org.jspecify.annotations.NullMarked;
