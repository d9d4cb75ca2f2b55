/** What the command writes: tables for people; JSON and CSV for programs. */
@NullMarked
package dev.onceward.dlq.output;

import org.jspecify.annotations.NullMarked;
