/** Settings of a runtime: immutable, validated as a whole. */
@NullMarked
package dev.onceward.config;

import org.jspecify.annotations.NullMarked;
