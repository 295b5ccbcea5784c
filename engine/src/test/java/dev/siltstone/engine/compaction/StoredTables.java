package dev.siltstone.engine.compaction;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableIdentity;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.table.TableVerifier;
import dev.siltstone.engine.table.TableWriterOptions;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Table files as the engine makes them, on a disk in memory. */
final class StoredTables implements TableSink.Factory, CompactionInputs.Files {
  private static final Path DIRECTORY = Path.of("/t");
  private static final long STORE = 7;
  private static final int READ_AHEAD_BYTES = 2_048;

  private final SimFileSystem fileSystem = new SimFileSystem();
  private final BlockCache cache = new BlockCache(1 << 20);
  private final Compressors compressors = new Compressors();
  private final List<TableReader> open = new ArrayList<>();

  /** How the next files are built. */
  TableWriterOptions options = TableWriterOptions.defaults();

  /** Whether {@link #records} offers blocks. */
  boolean offersBlocks = true;

  private long lastNumber;

  StoredTables() throws IOException {
    fileSystem.createDirectories(DIRECTORY);
  }

  /** A file of some content. */
  FileMeta put(RandomTree.Content content) throws IOException {
    TableSink sink = create();
    for (TestRecord record : content.records()) {
      byte[] key = record.key();
      byte[] value = record.value();
      sink.add(key, 0, key.length, record.trailer(), value, 0, value.length);
    }
    content.fragments().forEach(0, (lower, upper, times) -> add(sink, lower, upper, times));
    return sink.finish();
  }

  private static void add(TableSink sink, byte[] lower, byte[] upper, long[] times) {
    try {
      sink.addRangeTombstone(lower, upper, times);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public TableSink create() throws IOException {
    long number = ++lastNumber;
    return new WriterSink(fileSystem.create(path(number)), number, STORE, options);
  }

  @Override
  public InternalIterator records(FileMeta file) throws IOException {
    return offersBlocks ? reader(file).scan(READ_AHEAD_BYTES) : reader(file).iterator(false);
  }

  @Override
  public RangeTombstones rangeTombstones(FileMeta file) throws IOException {
    return reader(file).rangeTombstones();
  }

  /** All that some files hold. */
  RandomTree.Content content(List<FileMeta> files) throws IOException {
    RandomTree.Content all = new RandomTree.Content();
    for (FileMeta file : files) {
      try (InternalIterator i = records(file)) {
        for (i.first(); i.valid(); i.next()) {
          all.records().add(record(i));
        }
      }
      rangeTombstones(file)
          .forEach(
              0,
              (lower, upper, times) -> {
                for (long time : times) {
                  all.rangeDeletes().add(new RandomTree.RangeDelete(lower, upper, time));
                }
              });
    }
    return all;
  }

  private static TestRecord record(InternalIterator i) {
    int key = i.keyOffset();
    int value = i.valueOffset();
    return new TestRecord(
        Arrays.copyOfRange(i.keyArray(), key, key + i.keyLength()),
        i.trailer(),
        Arrays.copyOfRange(i.valueArray(), value, value + i.valueLength()));
  }

  /** What is wrong with a file, as its own checks find it. */
  List<String> faults(FileMeta file) throws IOException {
    List<String> faults = new ArrayList<>();
    TableVerifier.verify(
        fileSystem,
        path(file.number()),
        new TableIdentity(STORE, file.number()),
        file.bytes(),
        compressors,
        new TableVerifier.Watcher() {
          @Override
          public void fault(CorruptFileException fault) {
            faults.add(fault.getMessage());
          }

          @Override
          public void reference(BlobReference reference, long offset) {
            faults.add("a blob at " + offset);
          }

          @Override
          public void progress(long bytes) {
            // Short.
          }
        });
    return faults;
  }

  void close() throws IOException {
    for (TableReader reader : open) {
      reader.close();
    }
  }

  private TableReader reader(FileMeta file) throws IOException {
    TableReader reader =
        TableReader.open(fileSystem, path(file.number()), file.number(), STORE, cache, compressors);
    open.add(reader);
    return reader;
  }

  private static Path path(long number) {
    return DIRECTORY.resolve(number + ".table");
  }
}
