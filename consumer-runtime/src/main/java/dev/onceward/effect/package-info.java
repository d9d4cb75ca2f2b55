/** The transaction in which claim and effect commit together. */
@NullMarked
package dev.onceward.effect;

import org.jspecify.annotations.NullMarked;
