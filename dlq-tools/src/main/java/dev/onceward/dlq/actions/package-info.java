/** What operators change, and the trail it leaves. */
@NullMarked
package dev.onceward.dlq.actions;

import org.jspecify.annotations.NullMarked;
