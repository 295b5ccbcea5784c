/**
 * Entries as lines of text: how {@code load} reads them and {@code dump} writes them.
 *
 * <p>Everything streams: a reader holds one entry, a writer none. Text is bytes here, never
 * characters, so that what is not UTF-8 is found where it stands. What a writer wrote, the reader
 * of the same format and encoding gives back byte for byte.
 */
@NullMarked
package dev.siltstone.tools.lines;

import org.jspecify.annotations.NullMarked;
