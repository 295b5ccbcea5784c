/** The threading seam: who runs background work, and how a thread waits for it. */
@NullMarked
package dev.siltstone.base.run;

import org.jspecify.annotations.NullMarked;
