/** Builds and runs a worker. */
@NullMarked
package dev.onceward.runtime;

import org.jspecify.annotations.NullMarked;
