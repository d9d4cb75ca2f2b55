/** The dead-letter topics: the copies that the index names, with their payloads. */
@NullMarked
package dev.onceward.dlq.topic;

import org.jspecify.annotations.NullMarked;
