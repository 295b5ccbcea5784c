/**
 * Memtables: what was written to a tree and is not in a table file yet, in memory and in order.
 *
 * <p>A record is copied once, from its batch into a chunk, and never moves or changes afterwards.
 * {@link dev.siltstone.engine.memtable.HeadTree} orders references to records; range deletes and a
 * filter stand beside it. There is one writer at a time and any number of readers, who take no lock
 * and are never waited for.
 */
@NullMarked
package dev.siltstone.engine.memtable;

import org.jspecify.annotations.NullMarked;
