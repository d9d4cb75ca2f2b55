/** The runtime: build it, start it, ask for its health. */
@NullMarked
package dev.onceward.runtime;

import org.jspecify.annotations.NullMarked;
