/** Runs that take minutes and measure: not part of the ordinary build, started by {@code ./soak}. */
@NullMarked
package dev.onceward.soak;

import org.jspecify.annotations.NullMarked;
