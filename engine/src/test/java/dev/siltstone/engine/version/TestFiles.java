package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;

/** Table files for tests. */
final class TestFiles {
  private TestFiles() {}

  /** A file of {@code number * 10} bytes with the keys [lower, upper). */
  static FileMeta file(long number, int lower, int upper, long... blobs) {
    return new FileMeta(
        number, number * 10, key(lower), key(upper), 1, number, 5, 1, 0, 0, 2, 0, 0, 99, blobs);
  }

  /** A two-byte key. */
  static byte[] key(int number) {
    return new byte[] {(byte) (number >>> 8), (byte) number};
  }

  /** All there is to know of a state, as text. */
  static String describe(StoreState state) {
    StringBuilder out = new StringBuilder();
    out.append("time ").append(state.lastTime());
    out.append(" logs ").append(state.oldestLog()).append("..").append(state.newestLog());
    out.append(" nextTree ").append(state.nextTreeId()).append('\n');
    state.all().stream()
        .sorted((a, b) -> Integer.compare(a.id(), b.id()))
        .forEach(tree -> describe(tree, out));
    return out.toString();
  }

  private static void describe(TreeState tree, StringBuilder out) {
    out.append("tree ").append(tree.id()).append(" '").append(tree.name()).append("' ");
    out.append(Bytes.hex(tree.options())).append(" flushed ").append(tree.flushedTime());
    out.append(" floor ").append(tree.historyFloor());
    out.append('\n');
    for (int level = 0; level < Version.LEVELS; level++) {
      for (FileMeta file : tree.version().level(level)) {
        out.append("  ").append(level).append(": ").append(file).append(' ');
        out.append(file.bytes()).append(' ').append(file.minTime()).append(' ');
        out.append(file.maxTime()).append(' ').append(file.entries()).append(' ');
        out.append(file.deletes()).append(' ').append(file.rangeDeletes()).append(' ');
        out.append(file.subtrees()).append(' ').append(file.obsolete()).append(' ');
        out.append(file.expiring()).append(' ').append(file.maxExpiry()).append(' ');
        out.append(file.rawBytes()).append(' ');
        out.append(java.util.Arrays.toString(file.blobs())).append('\n');
      }
    }
  }
}
