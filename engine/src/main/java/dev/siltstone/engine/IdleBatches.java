package dev.siltstone.engine;

import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Keeps small batches for writes of a single record, so that none has to be made. Threads take
 * turns at few places rather than each having its own, since there may be many threads and many
 * stores.
 *
 * <p>Safe for concurrent use.
 */
final class IdleBatches {
  /** A power of two. */
  private static final int PLACES = 16;

  /** Places lie a cache line apart. */
  private static final int STRIDE = 16;

  /** A batch that has become larger is not kept. */
  private static final int BYTES_MAX = 16 << 10;

  private final AtomicReferenceArray<@Nullable WriteBatch> idle =
      new AtomicReferenceArray<>(PLACES * STRIDE);

  private final Store store;

  IdleBatches(Store store) {
    this.store = store;
  }

  /** An empty batch. */
  WriteBatch take() {
    WriteBatch batch = idle.getAndSet(place(), null);
    return batch == null ? new WriteBatch(store) : batch;
  }

  /** Takes back a batch that was written; nobody else may have it. */
  void giveBack(WriteBatch batch) {
    if (batch.writer().array().length <= BYTES_MAX) {
      batch.clear();
      idle.setRelease(place(), batch);
    }
  }

  private static int place() {
    return ((int) Thread.currentThread().threadId() & (PLACES - 1)) * STRIDE;
  }
}
