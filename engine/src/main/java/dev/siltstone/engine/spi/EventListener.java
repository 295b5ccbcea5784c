package dev.siltstone.engine.spi;

import org.jspecify.annotations.Nullable;

/**
 * Is told what a store does in the background. Called on the thread that does it, so
 * implementations return at once; what they throw is ignored. They may read the store but must not
 * write to it, since that may wait for the very thread; what always does ({@code Db.close}, flush,
 * compact, awaitQuiet, dropTree, ingest, checkpoint) throws {@link IllegalStateException}. Every
 * method does nothing by default.
 */
public interface EventListener {
  /** Listens to nothing. */
  EventListener NONE = new EventListener() {};

  /**
   * Sealed memtables of a tree were written to a table file.
   *
   * @param tree name of the tree
   * @param bytes length of the files; 0 if nothing was left to write
   * @param nanos how long it took
   */
  default void flushed(String tree, long bytes, long nanos) {}

  /**
   * A compaction ended: files were merged, moved or dropped.
   *
   * @param tree name of the tree
   * @param fromLevel level of the files that made it necessary
   * @param toLevel level of what came out
   * @param bytesIn bytes of the files merged; 0 if none was read
   * @param bytesOut bytes of the files written; 0 if none was
   */
  default void compacted(String tree, int fromLevel, int toLevel, long bytesIn, long bytesOut) {}

  /**
   * A commit was held back, with all that wait behind it.
   *
   * @param cause as in {@code DbStats.stallNanos}
   * @param nanos for how long
   */
  default void stalled(String cause, long nanos) {}

  /**
   * The store refuses writes from now on.
   *
   * @param cause what later writes will name, a {@code DbException}
   */
  default void failed(Throwable cause) {}

  /**
   * A background job failed and will be tried again.
   *
   * @param job what was being done, for people
   * @param cause why it failed
   */
  default void retrying(String job, @Nullable Throwable cause) {}

  /**
   * A tree is not compacted any more until the store is opened again, since every try would end the
   * same: a file is damaged, or the compaction filter has failed.
   *
   * @param tree name of the tree
   * @param cause what the compaction has met
   */
  default void suspended(String tree, Throwable cause) {}
}
