/**
 * Checks whether the guarantees of a consumer held, from what the database and the topics say afterwards: never from the
 * runtime's own counters or logs, which would be asking the suspect. {@link
 * dev.onceward.testsupport.guarantees.Guarantee} says how they are used.
 */
@NullMarked
package dev.onceward.testsupport.guarantees;

import org.jspecify.annotations.NullMarked;
