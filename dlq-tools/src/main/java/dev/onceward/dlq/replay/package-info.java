/** Sends dead letters to their consumer again, and follows what becomes of them. */
@NullMarked
package dev.onceward.dlq.replay;

import org.jspecify.annotations.NullMarked;
