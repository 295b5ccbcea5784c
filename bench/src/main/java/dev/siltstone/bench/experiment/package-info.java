/// Works of several phases. The two founding ones are shared with the demo: [Cliff], the tombstone
/// cliff, and [TimeSeries], eight writers and a reader.
@NullMarked
package dev.siltstone.bench.experiment;

import org.jspecify.annotations.NullMarked;
