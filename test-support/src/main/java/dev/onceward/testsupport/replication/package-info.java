/** PostgreSQL with a standby, as it runs where nothing may be lost. */
@NullMarked
package dev.onceward.testsupport.replication;

import org.jspecify.annotations.NullMarked;
