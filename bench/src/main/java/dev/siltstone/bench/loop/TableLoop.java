package dev.siltstone.bench.loop;

import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.bench.run.Directories;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Values;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.table.TableWriter;
import dev.siltstone.engine.table.TableWriterOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Searches in table files all of whose blocks are cached. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class TableLoop {
  private static final int ENTRIES = 100_000;

  /** As many as fit into one block of 16 KiB. */
  private static final int ENTRIES_OF_BLOCK = 120;

  private static final long STORE = 7;
  private static final long NEWEST = Long.MAX_VALUE >>> 8;

  private final BlockCache cache = new BlockCache(256L << 20);
  private final PointResult result = new PointResult();
  private Path folder;
  private TableReader block;
  private TableReader table;
  private InternalIterator inBlock;
  private InternalIterator inTable;
  private byte[][] keysOfBlock;
  private byte[][] keys;
  private byte[][] missing;
  private int next;

  /** Writes and opens the files. */
  @Setup
  public void setUp() throws IOException {
    folder = Files.createTempDirectory("siltstone-loop-");
    keysOfBlock = LoopData.keys(ENTRIES_OF_BLOCK);
    keys = LoopData.keys(ENTRIES);
    missing = LoopData.missing(ENTRIES);
    block = table(1, ENTRIES_OF_BLOCK);
    table = table(2, ENTRIES);
    inBlock = block.iterator(true);
    inTable = table.iterator(true);
  }

  private TableReader table(long number, int entries) throws IOException {
    FileSystem fileSystem = new OsFileSystem();
    Path path = folder.resolve(number + ".table");
    Values values = new Values(LoopData.VALUE_BYTES);
    try (WritableFile file = fileSystem.create(path)) {
      TableWriter writer = new TableWriter(file, number, STORE, TableWriterOptions.defaults());
      for (int i = 0; i < entries; i++) {
        byte[] key = Keys.key(i);
        byte[] value = values.value(i, 0);
        long trailer = Trailer.of(1 + i, KeyKind.PUT);
        writer.add(key, 0, key.length, trailer, value, 0, value.length);
      }
      writer.finish();
    }
    return TableReader.open(fileSystem, path, number, STORE, cache, new Compressors());
  }

  /** Closes and deletes the files. */
  @TearDown
  public void tearDown() throws IOException {
    inBlock.close();
    inTable.close();
    block.close();
    table.close();
    Directories.delete(folder);
  }

  /** A seek in a file of one block: little more than the search within it. */
  @Benchmark
  public long searchOfBlock() throws IOException {
    byte[] key = keysOfBlock[index(ENTRIES_OF_BLOCK)];
    inBlock.seek(key, 0, key.length, Trailer.NEWEST);
    return inBlock.trailer();
  }

  /** A seek in a file of 100,000 entries: top index, index block, data block. */
  @Benchmark
  public long seek() throws IOException {
    byte[] key = keys[index(ENTRIES)];
    inTable.seek(key, 0, key.length, Trailer.NEWEST);
    return inTable.trailer();
  }

  /** A step to the next entry. */
  @Benchmark
  public long next() throws IOException {
    if (inTable.valid()) {
      inTable.next();
    }
    if (!inTable.valid()) {
      inTable.first();
    }
    return inTable.trailer();
  }

  /** A lookup of a key that is there: filter, index, block. */
  @Benchmark
  public boolean find() throws IOException {
    return find(keys[index(ENTRIES)]);
  }

  /** A lookup of a key that is not there, of which the Bloom filter nearly always knows. */
  @Benchmark
  public boolean bloom() throws IOException {
    return find(missing[index(ENTRIES)]);
  }

  private boolean find(byte[] key) throws IOException {
    long hash = Hash64.of(key, 0, key.length);
    return table.find(key, 0, key.length, hash, NEWEST, 0, result);
  }

  private int index(int count) {
    next = next + 1 >= count ? 0 : next + 1;
    return next;
  }
}
