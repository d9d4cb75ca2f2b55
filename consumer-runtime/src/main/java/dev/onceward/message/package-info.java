/** From a raw record to a message: identity, id, decoding. */
@NullMarked
package dev.onceward.message;

import org.jspecify.annotations.NullMarked;
