/** Onceward's tables: generations, attempts, dead letters, workers. */
@NullMarked
package dev.onceward.postgres;

import org.jspecify.annotations.NullMarked;
