/**
 * Large values, stored apart from the tree: one value a file, so that it is written once and never
 * moved by a compaction, and its file is removed when the record that refers to it is gone.
 */
@NullMarked
package dev.siltstone.engine.blob;

import org.jspecify.annotations.NullMarked;
