/** Places where a test may end the process; in production nothing happens there. */
@NullMarked
package dev.onceward.crash;

import org.jspecify.annotations.NullMarked;
