/**
 * Blocks of files kept in memory within one budget of bytes.
 *
 * <p>The cache does not know what a block is: it maps a place, (file, offset), to an immutable
 * object. Nobody uses the identity of a file twice, so an entry may be forgotten, but never wrong.
 */
@NullMarked
package dev.siltstone.engine.cache;

import org.jspecify.annotations.NullMarked;
