/** Names that are public API: headers, meters, events, reasons. */
@NullMarked
package dev.onceward.catalog;

import org.jspecify.annotations.NullMarked;
