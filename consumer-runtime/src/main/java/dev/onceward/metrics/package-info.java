/** Meters fed by the engine. */
@NullMarked
package dev.onceward.metrics;

import org.jspecify.annotations.NullMarked;
