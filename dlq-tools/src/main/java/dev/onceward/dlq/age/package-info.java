/** How old the oldest unprocessed message is, also while no worker runs. */
@NullMarked
package dev.onceward.dlq.age;

import org.jspecify.annotations.NullMarked;
