/** The guarantees, each tested against the real broker and the real database. */
@NullMarked
package dev.onceward.guarantees;

import org.jspecify.annotations.NullMarked;
