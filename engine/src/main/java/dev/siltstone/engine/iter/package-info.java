/**
 * Internal iteration: the contract of every ordered source of records, and how sources are merged.
 */
@NullMarked
package dev.siltstone.engine.iter;

import org.jspecify.annotations.NullMarked;
