/** Who runs, what they own, and taking it from them. */
@NullMarked
package dev.onceward.dlq.workers;

import org.jspecify.annotations.NullMarked;
