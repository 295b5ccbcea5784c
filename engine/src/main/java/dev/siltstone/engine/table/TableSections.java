package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.iter.RangeTombstones;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/**
 * Where the sections of a file lie. Immutable; safe for concurrent use.
 *
 * <p>A section that is not known, by id or by version, is passed over if it may be ignored, and
 * refuses the file else.
 */
final class TableSections {
  private static final int IDS = 4;

  private final BlockSource source;
  private final long fileBytes;
  private final long[] offsets = new long[IDS];
  private final int[] stored = new int[IDS];

  /** Where each section and the section table begins, those that are passed over included. */
  private final Map<Long, Integer> extents = new HashMap<>();

  private TableSections(BlockSource source, long fileBytes) {
    this.source = source;
    this.fileBytes = fileBytes;
  }

  static TableSections read(BlockSource source, TableFooter footer, long fileBytes)
      throws IOException {
    long offset = footer.sectionsOffset();
    int length = footer.sectionsStored();
    byte[] table = source.plain(TableFormat.SECTIONS, offset, length);
    if (length % TableFormat.SECTION_BYTES != 0) {
      throw source.corrupt(offset, "section table of " + length + " bytes");
    }
    TableSections sections = new TableSections(source, fileBytes);
    sections.extents.put(offset, length);
    for (int at = 0; at < length; at += TableFormat.SECTION_BYTES) {
      sections.add(table, at, offset);
    }
    return sections;
  }

  private void add(byte[] table, int at, long tableOffset)
      throws CorruptFileException, UnsupportedFileException {
    int id = Fixed.getShort(table, at);
    int version = Fixed.getShort(table, at + 2);
    boolean mayIgnore = (Fixed.getInt(table, at + 4) & TableFormat.SECTION_MAY_IGNORE) != 0;
    long offset = Fixed.getLong(table, at + 8);
    int length = Fixed.getInt(table, at + 16);
    extents.put(offset, length);
    boolean known = id > 0 && id < IDS && version == TableFormat.SECTION_VERSION;
    if (!known) {
      if (mayIgnore) {
        return;
      }
      throw new UnsupportedFileException(
          source.path() + ": section " + id + " of version " + version + " is not known");
    }
    source.requireWithin(offset, length);
    if (length == 0 || stored[id] != 0) {
      throw source.corrupt(tableOffset, "section " + id + " is empty or there twice");
    }
    offsets[id] = offset;
    stored[id] = length;
  }

  private boolean has(int id) {
    return stored[id] != 0;
  }

  /** Stored length of the block of a section; 0 if there is none. */
  int stored(int id) {
    return stored[id];
  }

  /** The end of the sections that follow each other from an offset on; that itself if none do. */
  long afterSections(long from) {
    long at = from;
    for (Integer length = extents.get(at); length != null; length = extents.get(at)) {
      at += length + (long) TableFormat.TRAILER_BYTES;
    }
    return at;
  }

  /** Refuses a file whose sections do not follow each other from {@code from} to the footer. */
  void checkNoGap(long from) throws CorruptFileException {
    long end = afterSections(from);
    if (end != source.blocksEnd()) {
      throw source.corrupt(
          end, "a section expected here, or the footer, which is at " + source.blocksEnd());
    }
  }

  TableProperties properties() throws IOException {
    int id = TableFormat.PROPERTIES_SECTION;
    if (!has(id)) {
      throw source.corrupt(-1, "no properties");
    }
    byte[] bytes = source.plain(TableFormat.PROPERTIES, offsets[id], stored[id]);
    try {
      return PropertiesBlock.decode(bytes, stored[id], fileBytes);
    } catch (BlockStructureException e) {
      throw source.corrupt(offsets[id], e.what());
    }
  }

  /** The top index, which never goes through the cache; {@link Block#NONE} if there is none. */
  Block topIndex() throws IOException {
    int id = TableFormat.TOP_INDEX_SECTION;
    if (!has(id)) {
      return Block.NONE;
    }
    byte[] bytes = source.plain(TableFormat.TOP_INDEX, offsets[id], stored[id]);
    return source.decode(TableFormat.TOP_INDEX, bytes, 0, offsets[id], stored[id]);
  }

  RangeTombstones rangeTombstones() throws IOException {
    int id = TableFormat.RANGE_TOMBSTONES_SECTION;
    if (!has(id)) {
      return RangeTombstones.NONE;
    }
    byte[] bytes = source.plain(TableFormat.RANGE_TOMBSTONES, offsets[id], stored[id]);
    try {
      return RangeTombstoneBlock.decode(bytes, stored[id], source.timeBase());
    } catch (BlockStructureException e) {
      throw source.corrupt(offsets[id], e.what());
    }
  }
}
