package dev.onceward.message;

import dev.onceward.handler.Coordinates;

/**
 * The record that first failed: for a replay named by its headers, else the record itself.
 *
 * @param coordinates of the record that first failed
 * @param timestamp its timestamp, epoch milliseconds
 * @param replays how often it was replayed
 */
public record Origin(Coordinates coordinates, long timestamp, int replays) {}
