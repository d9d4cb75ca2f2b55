/** What kind of failure it was, and when to try again. */
@NullMarked
package dev.onceward.failure;

import org.jspecify.annotations.NullMarked;
