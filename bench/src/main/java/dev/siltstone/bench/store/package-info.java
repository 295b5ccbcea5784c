/// The engines under measurement behind one small interface, ours among them.
///
/// An adapter adds nothing to what its engine does: no cache, no retry, no copy that the engine's
/// own users would not make. Its settings are those that users of that engine recommend, and it
/// says them, so that a reader of a report can judge the comparison.
@NullMarked
package dev.siltstone.bench.store;

import org.jspecify.annotations.NullMarked;
