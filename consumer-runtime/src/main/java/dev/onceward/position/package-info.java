/** Where processing of a partition begins: one rule for the workers and for the tools that look on. */
@NullMarked
package dev.onceward.position;

import org.jspecify.annotations.NullMarked;
