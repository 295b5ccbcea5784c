package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.compaction.CompactionJob;
import dev.siltstone.engine.compaction.OlderData;
import dev.siltstone.engine.compaction.TableSink;
import dev.siltstone.engine.iter.ConcatIterator;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.table.TableFooter;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.version.FileMeta;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Files on their way into a tree.
 *
 * <ol>
 *   <li>{@link #stage}, beside the writers: the inputs are read, checked and written anew as files
 *       of the store, long values apart. The records have no time yet ({@link
 *       dev.siltstone.engine.table.TableWriter#finishUndated}).
 *   <li>{@link #date}, as leader of the writers: each file gets the time of all its records with
 *       its last few hundred bytes, and is synced.
 * </ol>
 *
 * <p>What comes between and after is in {@link Writes}. Closed before {@link #setOffered}, nothing
 * remains of it. One thread at a time.
 */
final class Ingestion implements Closeable {
  /** Larger files than the tree's rather than more than about so many: each is synced in turn. */
  private static final int FILES_MAX = 64;

  private static final int READ_AHEAD_BYTES = 1 << 20;
  private static final int CACHE_BYTES = 1 << 20;

  /** The time of all records is 0, and nothing at or before the cutoff could be left out. */
  private static final long BEFORE_ALL_TIMES = -1;

  private final Store.Core core;
  private final StoreJobs jobs;
  private final StoreJobs.Outputs outputs;
  private final FileSystem fileSystem;
  private final List<TableReader> inputs = new ArrayList<>();
  private final List<Path> paths;
  private final List<StagedFile> staged = new ArrayList<>();
  private final List<Long> blobs = new ArrayList<>();
  private List<FileMeta> files = List.of();
  private boolean offered;

  /** The input that is read, and its last key. */
  private Path reading;

  private byte[] lastKey = Bytes.EMPTY;
  private boolean begun;

  /**
   * An ingestion.
   *
   * @param tree that takes the files
   * @param paths at least one
   */
  Ingestion(Store.Core core, StoreJobs jobs, OpenTree tree, List<Path> paths) {
    this.core = core;
    this.jobs = jobs;
    this.outputs = jobs.deepest(tree);
    this.fileSystem = jobs.fileSystem();
    this.paths = List.copyOf(paths);
    this.reading = this.paths.getFirst();
  }

  /**
   * Reads and checks the inputs and writes them anew, durably.
   *
   * @throws IllegalArgumentException if two inputs overlap
   * @throws CorruptFileException if one is damaged, or not in order
   * @throws UnsupportedFileException if one is no file of {@link TableFileWriter}
   */
  void stage() throws IOException {
    List<RangeTombstones> tombstones = new ArrayList<>();
    long bytes = 0;
    long entries = 0;
    for (Path path : paths) {
      TableReader input = open(path);
      tombstones.add(input.rangeTombstones());
      bytes += input.properties().fileBytes();
      entries += input.properties().entries();
    }
    checkDisjoint();
    CompactionJob.Result result =
        new CompactionJob(
                records(),
                FragmentedRangeTombstones.union(tombstones, BEFORE_ALL_TIMES),
                OlderData.NONE,
                new CompactionJob.Limits(
                    BEFORE_ALL_TIMES,
                    Math.max(core.options().tableBytes(), bytes / FILES_MAX),
                    Long.MAX_VALUE,
                    List.of()),
                this::begin,
                _ -> jobs.mayGoOn(),
                null)
            .run();
    if (result.stats().entriesIn() != entries) {
      throw new CorruptFileException(
          reading, -1, result.stats().entriesIn() + " records instead of " + entries);
    }
    files = result.outputs();
    fileSystem.syncDirectory(core.directory());
  }

  private TableReader open(Path path) throws IOException {
    TableFooter footer = TableFooter.read(fileSystem, path);
    TableReader input = null;
    if (footer.undated()) {
      input =
          TableReader.open(
              fileSystem,
              path,
              footer.fileNumber(),
              footer.storeId(),
              new BlockCache(CACHE_BYTES),
              core.compressors());
      inputs.add(input);
    }
    if (input == null || input.properties().layout().timeBase() != 0) {
      throw new UnsupportedFileException(
          path + ": a table of a store; only what TableFileWriter has made can be ingested");
    }
    return input;
  }

  private void checkDisjoint() {
    List<TableReader> sorted = new ArrayList<>(inputs);
    sorted.sort((a, b) -> Bytes.compare(a.properties().lower(), b.properties().lower()));
    for (int i = 1; i < sorted.size(); i++) {
      TableReader before = sorted.get(i - 1);
      TableReader next = sorted.get(i);
      if (Bytes.compare(before.properties().upper(), next.properties().lower()) > 0) {
        throw new IllegalArgumentException(
            "files to ingest overlap: " + before + " and " + next + "; ingest one after the other");
      }
    }
    inputs.clear();
    inputs.addAll(sorted);
  }

  private InternalIterator records() {
    return new ConcatIterator(
        inputs.size(),
        (_, _, _) -> {
          throw new IllegalStateException("an ingestion does not seek");
        },
        index -> {
          reading = inputs.get(index).path();
          return inputs.get(index).scan(READ_AHEAD_BYTES);
        });
  }

  private TableSink begin() throws IOException {
    StagedFile file = new StagedFile(outputs.create());
    staged.add(file);
    return file;
  }

  /** Whether a memtable of a view holds anything within the bounds of a file. */
  boolean overlapsMemtables(ReadView view) throws IOException {
    for (FileMeta file : files) {
      if (overlaps(view.active(), file)) {
        return true;
      }
      for (MemTable memtable : view.sealed()) {
        if (overlaps(memtable, file)) {
          return true;
        }
      }
    }
    return false;
  }

  private static boolean overlaps(MemTable memtable, FileMeta file) throws IOException {
    byte[] lower = file.lower();
    byte[] upper = file.upper();
    try (InternalIterator records = memtable.iterator()) {
      records.seek(lower, 0, lower.length, Trailer.NEWEST);
      if (records.valid()
          && Bytes.compare(
                  records.keyArray(),
                  records.keyOffset(),
                  records.keyLength(),
                  upper,
                  0,
                  upper.length)
              < 0) {
        return true;
      }
    }
    boolean[] found = new boolean[1];
    memtable
        .rangeTombstones()
        .forEach(Long.MAX_VALUE, (from, to, _) -> found[0] |= file.overlaps(from, to));
    return found[0];
  }

  /** Gives all records their time, durably. Requires leadership. */
  List<FileMeta> date(long time) throws IOException {
    List<FileMeta> dated = new ArrayList<>(staged.size());
    for (StagedFile file : staged) {
      dated.add(file.target.date(time));
    }
    // All are written before the first is synced, so that one journal commit may do for many.
    for (StagedFile file : staged) {
      file.target.complete();
    }
    return dated;
  }

  /** From now on the manifest may name the files. */
  void setOffered() {
    offered = true;
  }

  /** Lets go of inputs and outputs; removes the outputs if no manifest may name them. */
  @Override
  public void close() {
    if (!offered) {
      staged.forEach(StagedFile::abandon);
    }
    outputs.close();
    long[] numbers = new long[blobs.size()];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = blobs.get(i);
    }
    core.blobs().settled(numbers);
    for (TableReader input : inputs) {
      try {
        input.close();
      } catch (IOException ignored) {
        // It was only read, and what came of it is decided.
      }
    }
  }

  private CorruptFileException corrupt(String what) {
    return new CorruptFileException(reading, -1, what);
  }

  /** Takes records as an input has them, checks them, and stores long values apart. */
  private final class StagedFile implements TableSink {
    private final TableFileSink target;

    StagedFile(TableFileSink target) {
      this.target = target;
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
      boolean put = trailer == Trailer.of(0, KeyKind.PUT);
      if (!put && !(trailer == Trailer.of(0, KeyKind.DELETE) && valueLength == 0)) {
        throw corrupt("a record of time and kind " + trailer);
      }
      if (begun && Bytes.compare(lastKey, 0, lastKey.length, key, keyOffset, keyLength) >= 0) {
        throw corrupt(
            "key " + Bytes.hex(key, keyOffset, keyLength) + " after key " + Bytes.hex(lastKey));
      }
      begun = true;
      lastKey = Bytes.copy(key, keyOffset, keyLength);
      if (put && valueLength >= core.options().separateValueBytes()) {
        byte[] reference = storeApart(Bytes.copy(value, valueOffset, valueLength));
        long apart = Trailer.of(0, KeyKind.PUT | KeyKind.SEPARATED);
        target.add(key, keyOffset, keyLength, apart, reference, 0, reference.length);
      } else {
        target.add(key, keyOffset, keyLength, trailer, value, valueOffset, valueLength);
      }
    }

    private byte[] storeApart(byte[] value) throws IOException {
      BlobReference reference = core.blobs().write(value);
      blobs.add(reference.fileNumber());
      byte[] bytes = new byte[BlobReference.BYTES];
      reference.write(bytes, 0);
      return bytes;
    }

    @Override
    public void addRangeTombstone(byte[] lower, byte[] upper, long[] times) throws IOException {
      if (times.length != 1 || times[0] != 0) {
        throw corrupt("a range delete with a time");
      }
      target.addRangeTombstone(lower, upper, times);
    }

    @Override
    public long estimatedBytes() {
      return target.estimatedBytes();
    }

    @Override
    public FileMeta finish() throws IOException {
      return target.endBlocks();
    }

    @Override
    public void abandon() {
      target.abandon();
    }
  }
}
