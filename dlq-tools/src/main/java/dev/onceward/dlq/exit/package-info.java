/** How the command ends: exit codes, and the exceptions that lead to them. */
@NullMarked
package dev.onceward.dlq.exit;

import org.jspecify.annotations.NullMarked;
