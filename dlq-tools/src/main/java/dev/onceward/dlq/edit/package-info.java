/** Changing a payload by hand. */
@NullMarked
package dev.onceward.dlq.edit;

import org.jspecify.annotations.NullMarked;
