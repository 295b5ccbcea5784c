package dev.siltstone.engine.compaction;

import dev.siltstone.engine.version.FileMeta;

/** Takes records without keeping or allocating anything. */
final class CountingSink implements TableSink {
  private long records;

  @Override
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength) {
    records++;
  }

  @Override
  public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) {
    records++;
  }

  @Override
  public long estimatedBytes() {
    return records;
  }

  @Override
  public FileMeta finish() {
    return TestFiles.file(1, new byte[] {0}, new byte[] {1}, records);
  }

  @Override
  public void abandon() {
    records = 0;
  }
}
