/// The demo: the two founding experiments and a real import, on an embedded store.
///
/// 1. `Cliff`: a million pairs are put, got, deleted by a pattern and got again, by get and by
///    cursor. Engines with tombstones fall here by factors of a thousand.
/// 2. [Dumps]: data of other stores is loaded and dumped again, byte for byte.
/// 3. `TimeSeries`: eight writers and a reader for a minute, and how steady they were.
@NullMarked
package dev.siltstone.bench.demo;

import org.jspecify.annotations.NullMarked;
