/**
 * Builds a new store of what can be read of a damaged one, which is not changed.
 *
 * <p>Every record keeps its hybrid time, so that of two records of a key the newer one wins
 * whatever files they come from. All records of a tree, from tables of all levels and from the log,
 * are merged into tables of the last level, where the order of files means nothing.
 */
@NullMarked
package dev.siltstone.engine.repair;

import org.jspecify.annotations.NullMarked;
