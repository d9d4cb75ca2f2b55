package dev.onceward.examples.demo;

/** Where a record stands. */
record Place(String topic, int partition, long offset) {}
