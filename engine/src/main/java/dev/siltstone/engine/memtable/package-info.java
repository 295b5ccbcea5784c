/**
 * The newest writes of a tree, in memory: a B+-tree with key heads over records in batch form.
 *
 * <p>One thread writes at a time; any number read, and none of them ever waits. Records are
 * immutable once written and never removed, so what a reader has found stays valid as long as it is
 * referenced.
 */
@NullMarked
package dev.siltstone.engine.memtable;

import org.jspecify.annotations.NullMarked;
