/** The time seam: wall and monotonic time, and the hybrid time that orders all writes. */
@NullMarked
package dev.siltstone.base.time;

import org.jspecify.annotations.NullMarked;
