/**
 * Compaction: which files to merge next, what of them may disappear, and the loop that does it.
 *
 * <p>{@link dev.siltstone.engine.compaction.CompactionPicker} decides from a version what to do
 * next and touches no file. {@link dev.siltstone.engine.compaction.CompactionJob} carries it out,
 * and flushes memtables by the same rules. {@code DropRule} holds those rules: the only place of
 * the engine that lets a record disappear; files that are dead as a whole the picker drops unread.
 * All of it works on raw bytes; no key and no value is decoded.
 */
@NullMarked
package dev.siltstone.engine.compaction;

import org.jspecify.annotations.NullMarked;
