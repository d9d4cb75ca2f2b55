/**
 * Real Kafka and real PostgreSQL for tests, and the means to hurt them: processes that can be killed and frozen, servers
 * that can be restarted with their data. {@link dev.onceward.testsupport.Backends} is the place to start.
 */
@NullMarked
package dev.onceward.testsupport;

import org.jspecify.annotations.NullMarked;
