package dev.siltstone.testkit.model;

import dev.siltstone.base.bytes.Bytes;
import org.jspecify.annotations.Nullable;

/**
 * One operation of a batch. The arrays are owned by the operation and are not to be changed. Prints
 * itself as one line, so that a failing list can be read.
 */
public sealed interface ModelOperation {
  /** The value never expires. */
  long NEVER = 0;

  /**
   * Puts a value.
   *
   * @param expiry hybrid time from which on it acts as a delete, or {@link #NEVER}
   */
  record Put(byte[] key, byte[] value, long expiry) implements ModelOperation {
    @Override
    public String toString() {
      return "put " + Bytes.hex(key) + " " + Bytes.hex(value) + expiresAt(expiry);
    }
  }

  /** Deletes a key. */
  record Delete(byte[] key) implements ModelOperation {
    @Override
    public String toString() {
      return "delete " + Bytes.hex(key);
    }
  }

  /**
   * Deletes all keys of a range.
   *
   * @param lower inclusive
   * @param upper exclusive
   */
  record DeleteRange(byte[] lower, byte[] upper) implements ModelOperation {
    @Override
    public String toString() {
      return "deleteRange " + Bytes.hex(lower) + " " + Bytes.hex(upper);
    }
  }

  /** Deletes a key and all keys it is a prefix of. */
  record DeleteSubtree(byte[] prefix) implements ModelOperation {
    @Override
    public String toString() {
      return "deleteSubtree " + Bytes.hex(prefix);
    }
  }

  /**
   * Puts a value and deletes all other keys that its key is a prefix of.
   *
   * @param expiry as for {@link Put}; the deletion does not expire
   */
  record PutSubtree(byte[] prefix, byte[] value, long expiry) implements ModelOperation {
    @Override
    public String toString() {
      return "putSubtree " + Bytes.hex(prefix) + " " + Bytes.hex(value) + expiresAt(expiry);
    }
  }

  /** The key of a point operation, or null. */
  default byte @Nullable [] key() {
    return switch (this) {
      case Put put -> put.key;
      case Delete delete -> delete.key;
      case DeleteSubtree delete -> delete.prefix;
      case PutSubtree put -> put.prefix;
      case DeleteRange _ -> null;
    };
  }

  private static String expiresAt(long expiry) {
    return expiry == NEVER ? "" : " expires " + expiry;
  }
}
