/** Dead letters in a file: writing them out with their payloads, and putting back what is gone. */
@NullMarked
package dev.onceward.dlq.transfer;

import org.jspecify.annotations.NullMarked;
