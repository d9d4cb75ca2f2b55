/** Creates, upgrades and verifies the tables of Onceward. */
@NullMarked
package dev.onceward.migrations;

import org.jspecify.annotations.NullMarked;
