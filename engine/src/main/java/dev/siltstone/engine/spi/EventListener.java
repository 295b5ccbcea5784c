package dev.siltstone.engine.spi;

import org.jspecify.annotations.Nullable;

/**
 * Is told what a store does in the background. Called on the thread that does it, so
 * implementations return at once; what they throw is ignored. Every method does nothing by default.
 */
public interface EventListener {
  /** Listens to nothing. */
  EventListener NONE = new EventListener() {};

  /** A memtable was written to a table file. */
  default void flushed(String tree, long bytes, long nanos) {}

  /** A compaction ended: files were merged, moved or dropped. */
  default void compacted(String tree, int fromLevel, int toLevel, long bytesIn, long bytesOut) {}

  /** Writers were delayed. */
  default void stalled(String cause, long nanos) {}

  /** The store refuses writes from now on. */
  default void failed(Throwable cause) {}

  /** A background job failed and will be tried again. */
  default void retrying(String job, @Nullable Throwable cause) {}
}
