/** The straight path: poll, lane, transaction, window, commit. */
@NullMarked
package dev.onceward.engine;

import org.jspecify.annotations.NullMarked;
