/**
 * Byte-level building blocks of every layer: comparison, the integer codecs used on disk, checksum
 * and hash.
 *
 * <p>Everything here is a static method over caller-owned arrays: nothing allocates unless its
 * result is an array, nothing keeps a reference, and all methods are safe for concurrent use.
 */
@NullMarked
package dev.siltstone.base.bytes;

import org.jspecify.annotations.NullMarked;
