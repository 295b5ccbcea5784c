/** Blocks of files kept in memory within a budget of bytes. */
@NullMarked
package dev.siltstone.engine.cache;

import org.jspecify.annotations.NullMarked;
