/**
 * Reads all files of a store and says what is wrong with them. Changes nothing; works beside the
 * process that writes the store.
 */
@NullMarked
package dev.siltstone.engine.check;

import org.jspecify.annotations.NullMarked;
