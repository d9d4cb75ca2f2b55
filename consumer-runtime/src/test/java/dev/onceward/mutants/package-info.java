/** Builds that are broken on purpose, each in one way, and the tests that must notice: started by {@code ./mutants}. */
@NullMarked
package dev.onceward.mutants;

import org.jspecify.annotations.NullMarked;
