/**
 * The write-ahead log: records in segment files, two ways to write them, and the rules by which
 * recovery tells a torn tail from damage.
 *
 * <p>Start at {@link dev.siltstone.engine.wal.LogFormat} for the bytes, at {@link
 * dev.siltstone.engine.wal.Log} for writing and at {@link dev.siltstone.engine.wal.LogRecovery} for
 * reading. The manifest uses the same records through {@link dev.siltstone.engine.wal.LogWriter}
 * and {@link dev.siltstone.engine.wal.SegmentReader}.
 */
@NullMarked
package dev.siltstone.engine.wal;

import org.jspecify.annotations.NullMarked;
