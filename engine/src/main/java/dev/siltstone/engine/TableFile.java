package dev.siltstone.engine;

import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One table file of a tree, and what it says of itself. Immutable; equal to others with the same
 * content.
 *
 * @param name of the file in the directory of the store; never used for another file
 * @param level where it lies now, 0 to 6
 * @param levelWritten for which level it was written; files may be moved deeper as they are
 * @param bytes length of the file
 * @param keys smallest key of a record or range delete, inclusive; bound above all keys and range
 *     deletes, exclusive. The arrays are the caller's
 * @param oldest time of the oldest record or range delete
 * @param newest time of the newest record or range delete
 * @param created when it was made, by the store's clock
 * @param records how many records there are of which kind
 * @param lastExpiry when the last expiring record expires; {@code null} if there are none
 * @param layout what its bytes are used for
 */
public record TableFile(
    String name,
    int level,
    int levelWritten,
    long bytes,
    KeyRange keys,
    Instant oldest,
    Instant newest,
    Instant created,
    Records records,
    @Nullable Instant lastExpiry,
    Layout layout) {

  /** Checks that all is there. */
  public TableFile {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(keys, "keys");
    Objects.requireNonNull(oldest, "oldest");
    Objects.requireNonNull(newest, "newest");
    Objects.requireNonNull(created, "created");
    Objects.requireNonNull(records, "records");
    Objects.requireNonNull(layout, "layout");
  }

  /**
   * Numbers of records; one may count in several.
   *
   * @param entries all but range deletes: values and deletes, dead ones included
   * @param deletes deletes among them, of keys and of subtrees
   * @param rangeDeletes range deletes, cut at each other's bounds; not among the entries
   * @param subtrees records among the entries that replace or delete a subtree
   * @param obsolete entries that a newer one of the same key in the file stands for
   * @param expiring values with an expiry
   * @param blobs files of values stored apart that the entries refer to
   */
  public record Records(
      long entries,
      long deletes,
      long rangeDeletes,
      long subtrees,
      long obsolete,
      long expiring,
      int blobs) {}

  /**
   * Bytes by their use.
   *
   * @param rawBytes keys and values, before anything is shared or compressed
   * @param dataBlocks number of data blocks
   * @param dataRawBytes data blocks before compression
   * @param dataBytes data blocks as stored; less than before if the file is compressed
   * @param indexBytes index blocks
   * @param filterBytes filters
   */
  public record Layout(
      long rawBytes,
      long dataBlocks,
      long dataRawBytes,
      long dataBytes,
      long indexBytes,
      long filterBytes) {}
}
