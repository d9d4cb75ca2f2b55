/** What a team implements: handlers, ids, and the exceptions they may throw. */
@NullMarked
package dev.onceward.handler;

import org.jspecify.annotations.NullMarked;
