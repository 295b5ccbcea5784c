package dev.siltstone.engine.compaction;

import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.table.TableWriter;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;

/** Writes the output of a job as the engine does, into a file of the test's own. */
final class WriterSink implements TableSink {
  private final long number;
  private final WritableFile file;
  private final TableWriter writer;

  WriterSink(WritableFile file, long number, long storeId, TableWriterOptions options) {
    this.number = number;
    this.file = file;
    this.writer = new TableWriter(file, number, storeId, options);
  }

  @Override
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    writer.add(key, keyOffset, keyLength, trailer, value, valueOffset, valueLength);
  }

  @Override
  public boolean add(StoredBlock block) throws IOException {
    return writer.add(block);
  }

  @Override
  public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) {
    writer.addRangeTombstone(lower, upper, times);
  }

  @Override
  public long estimatedBytes() {
    return writer.estimatedBytes();
  }

  @Override
  public FileMeta finish() throws IOException {
    FileMeta meta = FileMeta.of(number, writer.finish());
    file.close();
    return meta;
  }

  @Override
  public void abandon() {
    // Whatever failed is thrown.
  }
}
