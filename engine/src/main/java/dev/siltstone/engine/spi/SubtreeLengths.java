package dev.siltstone.engine.spi;

/**
 * Which prefixes of a key may carry a subtree record. A tree whose keys are paths (table,
 * partition, row, column) declares the lengths at which a whole subtree is deleted or replaced by
 * one record; a read then probes those prefixes and no others.
 *
 * <p>The answer for a key must depend on the key's bytes alone and never change: it shapes what is
 * stored. Implementations are stateless and safe for concurrent use.
 */
public interface SubtreeLengths {
  /** Longest list of lengths. */
  int LENGTHS_MAX = 32;

  /** No prefix ever carries a subtree record: plain key-value trees. */
  SubtreeLengths NONE =
      new SubtreeLengths() {
        @Override
        public String name() {
          return "";
        }

        @Override
        public int of(byte[] key, int offset, int length, int[] lengths) {
          return 0;
        }

        @Override
        public String toString() {
          return "none";
        }
      };

  /**
   * The name that is stored with the tree and checked at every open; changes when the answers do.
   * Empty only for {@link #NONE}.
   */
  String name();

  /** Whether no key ever has such a prefix. */
  default boolean isNone() {
    return name().isEmpty();
  }

  /**
   * Lists the lengths, ascending and at most {@code length}, of those prefixes of a key that may
   * carry a subtree record; the key's own length is listed if it may carry one itself.
   *
   * @param lengths receives the lengths; has {@link #LENGTHS_MAX} places
   * @return how many there are
   */
  int of(byte[] key, int offset, int length, int[] lengths);
}
