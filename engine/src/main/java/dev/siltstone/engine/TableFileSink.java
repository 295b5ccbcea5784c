package dev.siltstone.engine;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.table.TableProperties;
import dev.siltstone.engine.table.TableWriter;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.nio.file.Path;

/** Writes the output of a job to a table file. */
final class TableFileSink implements TableSink {
  private final FileSystem fileSystem;
  private final Path path;
  private final long number;
  private final WritableFile file;
  private final TableWriter writer;

  TableFileSink(
      FileSystem fileSystem, Path path, long number, long storeId, TableWriterOptions options)
      throws IOException {
    this.fileSystem = fileSystem;
    this.path = path;
    this.number = number;
    this.file = fileSystem.create(path);
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
    int kind = Trailer.kind(trailer);
    if (KeyKind.isSeparated(kind)) {
      int skip = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
      writer.noteBlob(BlobReference.fileNumber(value, valueOffset + skip));
    }
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
    TableProperties of = writer.finish();
    complete();
    return meta(of);
  }

  /**
   * Writes and syncs all but the end of a file whose records have no time yet.
   *
   * @return what is known of it by now: bounds and counts
   */
  FileMeta endBlocks() throws IOException {
    TableProperties of = writer.endBlocks();
    file.sync();
    return meta(of);
  }

  /** Gives the records their time, by the end of the file. */
  FileMeta date(long time) throws IOException {
    return meta(writer.finishUndated(time));
  }

  /** Makes the file durable and closes it. */
  void complete() throws IOException {
    file.sync();
    file.close();
  }

  private FileMeta meta(TableProperties of) {
    return FileMeta.of(number, of);
  }

  @Override
  public void abandon() {
    try {
      file.close();
    } catch (IOException ignored) {
      // The file is removed anyway.
    }
    try {
      fileSystem.remove(path);
    } catch (IOException ignored) {
      // The next sweep finds it: nothing names it.
    }
  }
}
