/** The demo: worker processes under kill -9, a frozen worker and a database restart, and a verdict on what took effect. */
@NullMarked
package dev.onceward.examples.demo;

import org.jspecify.annotations.NullMarked;
