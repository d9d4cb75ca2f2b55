/** What is wrong around a consumer, and what to do about it. */
@NullMarked
package dev.onceward.dlq.doctor;

import org.jspecify.annotations.NullMarked;
