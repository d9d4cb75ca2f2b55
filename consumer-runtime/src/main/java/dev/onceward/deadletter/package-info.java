/** Publishing what was given up. */
@NullMarked
package dev.onceward.deadletter;

import org.jspecify.annotations.NullMarked;
