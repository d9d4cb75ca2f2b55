/** How the command reaches Kafka and PostgreSQL. */
@NullMarked
package dev.onceward.dlq.connect;

import org.jspecify.annotations.NullMarked;
