/**
 * The straight path of a record, class by class, and how failures leave it.
 *
 * <ol>
 *   <li>poll: {@link dev.onceward.engine.PollLoop}, in the poll thread, asks the consumer for records; partitions over a
 *       bound are paused by {@link dev.onceward.engine.Backpressure}.
 *   <li>register: {@link dev.onceward.engine.Dispatcher} enters each record in the
 *       {@link dev.onceward.engine.OffsetWindow} of its {@link dev.onceward.engine.OwnedPartition} and hands it, as a
 *       {@link dev.onceward.engine.Delivery}, to the lane of its {@link dev.onceward.engine.OrderingKey}. Where the
 *       partition is not taken over yet, it waits for {@link dev.onceward.engine.Takeovers} first.
 *   <li>lane: {@link dev.onceward.engine.Lane}, a thread with a {@link dev.onceward.engine.LaneQueue}, passes the
 *       {@link dev.onceward.engine.Gate} and takes what waits as a group, as large as its
 *       {@link dev.onceward.engine.GroupSizer} says.
 *   <li>transaction: {@link dev.onceward.engine.LaneWork} has each message decoded ({@link dev.onceward.engine.Decoding},
 *       {@link dev.onceward.engine.Preparation}) and runs the group in one
 *       {@link dev.onceward.effect.EffectTransaction}: fence, claims, handlers, COMMIT.
 *   <li>window: {@link dev.onceward.engine.Settlement} completes, by {@link dev.onceward.engine.Moves}, the offset of each
 *       message whose effect or original is committed.
 *   <li>commit: {@link dev.onceward.engine.OffsetCommitter}, in the poll thread, commits the watermarks of the windows.
 * </ol>
 *
 * <p>Failures leave it after the transaction, in {@link dev.onceward.engine.LaneWork}: the culprit runs again alone
 * ({@link dev.onceward.engine.Parts}). What failed alone is counted by {@link dev.onceward.engine.Settlement} and its key
 * held, until it runs again or is given up by {@link dev.onceward.engine.GivingUp}, which brings it back to the window.
 * An outage closes the {@link dev.onceward.engine.Gate}, and everything goes back into the queue uncounted. A stale fence
 * drops the partition's messages, and {@link dev.onceward.engine.Assignment} begins it anew. What breaks the worker ends
 * it: {@link dev.onceward.engine.BrokenWorker}.
 *
 * <p>{@link dev.onceward.engine.Engine} starts and stops all of it; its parts are made by
 * {@link dev.onceward.engine.LaneFactory}, {@link dev.onceward.engine.PollSide} and
 * {@link dev.onceward.engine.BackgroundJobs}. What it talks to stands in {@link dev.onceward.engine.Outside}, each by its
 * role; also time and threads, which it has from its {@link dev.onceward.engine.Machine} alone.
 */
@NullMarked
package dev.onceward.engine;

import org.jspecify.annotations.NullMarked;
