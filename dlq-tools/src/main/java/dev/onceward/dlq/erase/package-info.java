/** Removing personal data: what can be removed, and what only time removes. */
@NullMarked
package dev.onceward.dlq.erase;

import org.jspecify.annotations.NullMarked;
