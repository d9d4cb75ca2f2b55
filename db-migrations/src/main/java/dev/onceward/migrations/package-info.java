/**
 * Creates, upgrades and verifies the tables of Onceward.
 *
 * <p>{@link dev.onceward.migrations.Migrations} applies the migrations (it needs Flyway);
 * {@link dev.onceward.migrations.SchemaVersion} only looks whether they were applied (plain JDBC).
 */
@NullMarked
package dev.onceward.migrations;

import org.jspecify.annotations.NullMarked;
