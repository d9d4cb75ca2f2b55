/** How the command ends: exit codes, the exceptions that lead to them, and the signals that ask it to stop. */
@NullMarked
package dev.onceward.dlq.exit;

import org.jspecify.annotations.NullMarked;
