package dev.siltstone.engine.table;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What can be read of a table that may be damaged.
 *
 * <ol>
 *   <li>Where footer, section table and top index are intact, they lead to everything else.
 *   <li>Where an index block is damaged, the bytes of its partition are searched for blocks; where
 *       what leads to the index blocks is damaged, those of the whole file ({@link BlockScan}).
 *   <li>A data block that is damaged is passed over when the iterator comes to it.
 * </ol>
 *
 * <p>A sound table reads as from {@link TableReader}. One thread at a time.
 */
public final class TableSalvage implements Closeable {
  private final ReadableFile file;
  private final Path path;
  private final BlockSource source;
  private final Compressors compressors;
  private final long identity;
  private final Losses losses;
  private final List<Handle> blocks = new ArrayList<>();
  private @Nullable TableProperties properties;
  private RangeTombstones tombstones = RangeTombstones.NONE;
  private boolean damaged;

  /** Is told what is damaged. */
  public interface Losses {
    /** Nobody wants to know. */
    Losses NONE =
        new Losses() {
          @Override
          public void damaged(CorruptFileException fault) {
            // As said.
          }

          @Override
          public void lost(
              CorruptFileException fault, byte @Nullable [] after, byte @Nullable [] before) {
            // As said.
          }
        };

    /** Something is damaged that costs no record by itself: an index, a filter, the footer. */
    void damaged(CorruptFileException fault);

    /**
     * Records or range deletes are lost.
     *
     * @param after not before this key; {@code null} for no bound
     * @param before not after this one; {@code null} for no bound
     */
    void lost(CorruptFileException fault, byte @Nullable [] after, byte @Nullable [] before);
  }

  /** A data block; one of negative length stands for so many bytes that hold no intact block. */
  record Handle(long offset, int stored) {}

  /** A block that is no data block. */
  private record Section(int type, long offset, int stored) {}

  private TableSalvage(
      ReadableFile file,
      Path path,
      TableIdentity identity,
      Compressors compressors,
      Losses losses) {
    this.file = file;
    this.path = path;
    this.compressors = compressors;
    this.identity = identity.bound();
    this.losses = losses;
    this.source =
        new BlockSource(file, path, this.identity, new BlockCache(0), compressors, file.size());
  }

  /**
   * Opens a file and finds its blocks.
   *
   * @param losses is told what is damaged of all but data blocks
   * @throws CorruptFileException if it is another file, or nothing of it can be read
   * @throws UnsupportedFileException if a newer version or an unknown compressor wrote it
   */
  public static TableSalvage open(
      FileSystem fileSystem,
      Path path,
      TableIdentity identity,
      Compressors compressors,
      Losses losses)
      throws IOException {
    ReadableFile file = fileSystem.open(path);
    TableSalvage salvage = new TableSalvage(file, path, identity, compressors, losses);
    boolean done = false;
    try {
      salvage.find(identity);
      done = true;
      return salvage;
    } finally {
      if (!done) {
        salvage.close();
      }
    }
  }

  private void find(TableIdentity expected) throws IOException {
    TableSections sections = null;
    try {
      TableFooter footer = TableFooter.read(file, path);
      // Another file under this name holds nothing of this one.
      footer.require(path, expected.storeId(), expected.fileNumber());
      sections = TableSections.read(source, footer, file.size());
    } catch (CorruptFileException e) {
      if (isAnotherFile(expected)) {
        throw e;
      }
      note(e);
    }
    if (sections == null) {
      scanAll();
      return;
    }
    readSections(sections);
  }

  private boolean isAnotherFile(TableIdentity expected) throws IOException {
    try {
      TableFooter footer = TableFooter.read(file, path);
      return footer.storeId() != expected.storeId() || footer.fileNumber() != expected.fileNumber();
    } catch (CorruptFileException e) {
      return false;
    }
  }

  private void readSections(TableSections sections) throws IOException {
    try {
      TableProperties read = sections.properties();
      properties = read;
      source.obey(read.layout());
    } catch (CorruptFileException e) {
      note(e);
    }
    try {
      tombstones = sections.rangeTombstones();
    } catch (CorruptFileException e) {
      TableProperties known = properties;
      damaged = true;
      losses.lost(e, known == null ? null : known.lower(), known == null ? null : known.upper());
    }
    try {
      readIndexes(sections.topIndex());
    } catch (CorruptFileException e) {
      note(e);
      blocks.clear();
      scan(0, file.size());
    }
  }

  private void readIndexes(Block top) throws IOException {
    long start = 0;
    for (int partition = 0; partition < top.count(); partition++) {
      byte[] handles = top.data();
      int at = top.valueAt(partition);
      long offset = BlockSource.handleOffset(handles, at);
      int stored = BlockSource.handleStored(handles, at, offset);
      try {
        Block index = source.load(TableFormat.INDEX, offset, stored);
        for (int i = 0; i < index.count(); i++) {
          int handle = index.valueAt(i);
          long blockOffset = BlockSource.handleOffset(index.data(), handle);
          int blockStored = BlockSource.handleStored(index.data(), handle, blockOffset);
          blocks.add(new Handle(blockOffset, blockStored));
        }
      } catch (UnsupportedFileException e) {
        throw e;
      } catch (IOException e) {
        note(corrupt(offset, e));
        scan(start, offset);
      }
      start = offset + stored + TableFormat.TRAILER_BYTES;
    }
  }

  private void scanAll() throws IOException {
    scan(0, file.size());
    boolean nothing = blocks.stream().allMatch(block -> block.stored < 0);
    if (nothing && tombstones.isEmpty()) {
      throw new CorruptFileException(path, -1, "nothing of it can be read");
    }
  }

  /** Adds the data blocks that are found in a part of the file; keeps other sections found. */
  private void scan(long from, long to) throws IOException {
    if (to - from > Integer.MAX_VALUE - Long.BYTES) {
      throw new CorruptFileException(path, from, "too long to be searched: " + (to - from));
    }
    byte[] bytes = new byte[(int) (to - from)];
    source.read(from, bytes, bytes.length);
    List<Section> sections = new ArrayList<>();
    long[] end = {from};
    new BlockScan(
            bytes,
            from,
            identity,
            compressors,
            (type, offset, stored) -> {
              addGap(end[0], offset);
              end[0] = offset + stored + TableFormat.TRAILER_BYTES;
              if (type == TableFormat.DATA) {
                blocks.add(new Handle(offset, stored));
              } else {
                sections.add(new Section(type, offset, stored));
              }
            })
        .run();
    boolean footerOnly = to == file.size() && to - end[0] <= TableFormat.FOOTER_BYTES;
    addGap(end[0], footerOnly ? end[0] : to);
    // Properties come last in a file, and tell what the times of the others are.
    for (Section section : sections.reversed()) {
      readSection(section);
    }
  }

  private void addGap(long from, long to) {
    if (to > from) {
      blocks.add(new Handle(from, (int) (from - to)));
    }
  }

  private void readSection(Section section) throws IOException {
    long offset = section.offset;
    int stored = section.stored;
    try {
      if (section.type == TableFormat.PROPERTIES) {
        TableProperties read =
            PropertiesBlock.decode(source.plain(section.type, offset, stored), stored, file.size());
        properties = read;
        source.obey(read.layout());
      } else if (section.type == TableFormat.RANGE_TOMBSTONES) {
        tombstones =
            RangeTombstoneBlock.decode(
                source.plain(section.type, offset, stored), stored, source.timeBase());
      }
    } catch (BlockStructureException e) {
      note(source.corrupt(offset, e.what()));
    } catch (CorruptFileException e) {
      note(e);
    }
  }

  private CorruptFileException corrupt(long offset, IOException failure) {
    return failure instanceof CorruptFileException known
        ? known
        : source.corrupt(offset, "cannot be read: " + failure);
  }

  private void note(CorruptFileException fault) {
    damaged = true;
    losses.damaged(fault);
  }

  /** What the file says of itself; {@code null} if that cannot be read. */
  public @Nullable TableProperties properties() {
    return properties;
  }

  /** The range deletes, as far as they can be read. */
  public RangeTombstones rangeTombstones() {
    return tombstones;
  }

  /** Whether anything but a data block is damaged. */
  public boolean isDamaged() {
    return damaged;
  }

  /**
   * All records that can be read, forward only: {@code first}, then {@code next}. Closing it closes
   * the file.
   *
   * @param blockLosses is told of each data block that cannot be read, with the keys around it
   */
  public InternalIterator iterator(Losses blockLosses) {
    return new SalvageIterator(this, source, blocks, blockLosses);
  }

  @Override
  public void close() throws IOException {
    source.close();
  }
}
