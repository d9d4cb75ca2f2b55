/** Real servers, fault injection and guarantee checks for tests. */
@NullMarked
package dev.onceward.testsupport;

import org.jspecify.annotations.NullMarked;
