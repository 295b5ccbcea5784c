package dev.siltstone.engine.compaction;

import dev.siltstone.engine.version.FileMeta;

/** File metadata as tests need it. */
final class TestFiles {
  private TestFiles() {}

  /** A file of which only bounds and the smallest time matter. */
  static FileMeta file(long number, byte[] lower, byte[] upper, long minTime) {
    return new FileMeta(
        number, 100, lower, upper, minTime, minTime + 5, 10, 0, 0, 0, 0, 0, 0, 100, new long[0]);
  }
}
