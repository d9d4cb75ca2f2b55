/**
 * Real workers, brokers and a database, with faults under load and the guarantees checked at the end. {@link
 * dev.onceward.chaos.ChaosMain} is the command; a run is a {@link dev.onceward.chaos.Schedule} of {@link
 * dev.onceward.chaos.FaultKind faults} against a {@link dev.onceward.chaos.World}.
 */
@NullMarked
package dev.onceward.chaos;

import org.jspecify.annotations.NullMarked;
