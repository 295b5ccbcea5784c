package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.key.UpperBound;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of {@link TableProperties}: properties one after the other by ascending tag.
 *
 * <pre>
 *   property   varint tag | varint length | bytes
 * </pre>
 *
 * <p>Numbers are varints; the blobs are a varint for each, less the one before. A number that is 0
 * may be left out, a tag that a reader does not know is passed over.
 */
final class PropertiesBlock {
  // Tags. On disk, never change.
  private static final int LOWER = 1;
  private static final int UPPER = 2;
  private static final int MIN_TIME = 3;
  private static final int MAX_TIME = 4;
  private static final int ENTRIES = 5;
  private static final int DELETES = 6;
  private static final int RANGE_DELETES = 7;
  private static final int SUBTREES = 8;
  private static final int OBSOLETE = 9;
  private static final int EXPIRING = 10;
  private static final int MAX_EXPIRY = 11;
  private static final int RAW_BYTES = 12;
  private static final int BLOBS = 13;
  private static final int DATA_BLOCKS = 14;
  private static final int DATA_BYTES = 15;
  private static final int DATA_RAW_BYTES = 16;
  private static final int DATA_RAW_BYTES_MAX = 17;
  private static final int PARTITIONS = 18;
  private static final int INDEX_BYTES = 19;
  private static final int FILTER_BYTES = 20;
  private static final int LEVEL = 21;
  private static final int CREATION_TIME = 22;
  private static final int TREE_ID = 23;
  private static final int TREE_NAME = 24;
  private static final int TREE_OPTIONS = 25;
  private static final int TIME_BASE = 26;
  private static final int TAGS = 27;

  private byte[] target = new byte[256];
  private int length;

  private PropertiesBlock() {}

  static byte[] encode(TableProperties of) {
    PropertiesBlock block = new PropertiesBlock();
    block.putBytes(LOWER, of.lower());
    block.putBytes(UPPER, UpperBound.encode(of.upper()));
    block.putNumber(MIN_TIME, of.minTime());
    block.putNumber(MAX_TIME, of.maxTime());
    block.putNumber(ENTRIES, of.entries());
    block.putNumber(DELETES, of.deletes());
    block.putNumber(RANGE_DELETES, of.rangeDeletes());
    block.putNumber(SUBTREES, of.subtrees());
    block.putNumber(OBSOLETE, of.obsolete());
    block.putNumber(EXPIRING, of.expiring());
    block.putNumber(MAX_EXPIRY, of.maxExpiry());
    block.putNumber(RAW_BYTES, of.rawBytes());
    block.putBlobs(of.blobs());
    TableProperties.Layout layout = of.layout();
    block.putNumber(DATA_BLOCKS, layout.dataBlocks());
    block.putNumber(DATA_BYTES, layout.dataBytes());
    block.putNumber(DATA_RAW_BYTES, layout.dataRawBytes());
    block.putNumber(DATA_RAW_BYTES_MAX, layout.dataRawBytesMax());
    block.putNumber(PARTITIONS, layout.partitions());
    block.putNumber(INDEX_BYTES, layout.indexBytes());
    block.putNumber(FILTER_BYTES, layout.filterBytes());
    block.putNumber(LEVEL, layout.level());
    block.putNumber(CREATION_TIME, layout.creationTime());
    TableTree tree = of.tree();
    if (tree != null) {
      block.putNumber(TREE_ID, tree.id());
      block.putBytes(TREE_NAME, tree.name().getBytes(StandardCharsets.UTF_8));
      block.putBytes(TREE_OPTIONS, tree.options());
    }
    block.putNumber(TIME_BASE, layout.timeBase());
    return Arrays.copyOf(block.target, block.length);
  }

  private void putBytes(int tag, byte[] bytes) {
    reserve(bytes.length + 2 * Varint.INT_BYTES_MAX);
    length = Varint.put(target, length, tag);
    length = Varint.put(target, length, bytes.length);
    System.arraycopy(bytes, 0, target, length, bytes.length);
    length += bytes.length;
  }

  private void putNumber(int tag, long number) {
    if (number != 0) {
      byte[] bytes = new byte[Varint.length(number)];
      Varint.put(bytes, 0, number);
      putBytes(tag, bytes);
    }
  }

  private void putBlobs(long[] blobs) {
    if (blobs.length == 0) {
      return;
    }
    byte[] bytes = new byte[blobs.length * Varint.LONG_BYTES_MAX];
    int at = 0;
    long before = 0;
    for (long blob : blobs) {
      at = Varint.put(bytes, at, blob - before);
      before = blob;
    }
    putBytes(BLOBS, Arrays.copyOf(bytes, at));
  }

  private void reserve(int bytes) {
    if (target.length - length < bytes) {
      target = Arrays.copyOf(target, Math.max(2 * target.length, length + bytes));
    }
  }

  /** The properties of a file of that length. */
  static TableProperties decode(byte[] source, int length, long fileBytes)
      throws BlockStructureException {
    BlockInput in = new BlockInput(source, 0, length);
    long[] numbers = new long[TAGS];
    byte[] lower = Bytes.EMPTY;
    byte[] upper = Bytes.EMPTY;
    long[] blobs = new long[0];
    String treeName = "";
    byte[] treeOptions = Bytes.EMPTY;
    long last = 0;
    while (!in.atEnd()) {
      long tag = in.number();
      if (tag <= last) {
        throw new BlockStructureException("property " + tag + " after property " + last);
      }
      last = tag;
      BlockInput property = in.part(in.count(1));
      if (tag == LOWER) {
        lower = property.rest();
      } else if (tag == UPPER) {
        upper = UpperBound.decode(property.rest());
      } else if (tag == BLOBS) {
        blobs = blobs(property);
      } else if (tag == TREE_NAME) {
        treeName = new String(property.rest(), StandardCharsets.UTF_8);
      } else if (tag == TREE_OPTIONS) {
        treeOptions = property.rest();
      } else if (tag < TAGS) {
        numbers[(int) tag] = property.number();
      }
    }
    if (Bytes.compare(lower, upper) >= 0
        || numbers[MIN_TIME] > numbers[MAX_TIME]
        || numbers[ENTRIES] < 0
        || numbers[TIME_BASE] < 0
        || numbers[TIME_BASE] > HybridTime.MAX
        || numbers[DATA_RAW_BYTES_MAX] < 0
        || numbers[DATA_RAW_BYTES_MAX] > TableFormat.RAW_BYTES_MAX) {
      throw new BlockStructureException("properties contradict each other");
    }
    int treeId = (int) numbers[TREE_ID];
    TableTree tree = treeId <= 0 ? null : new TableTree(treeId, treeName, treeOptions);
    return of(numbers, lower, upper, blobs, fileBytes, tree);
  }

  private static TableProperties of(
      long[] numbers,
      byte[] lower,
      byte[] upper,
      long[] blobs,
      long fileBytes,
      @Nullable TableTree tree) {
    return new TableProperties(
        fileBytes,
        lower,
        upper,
        numbers[MIN_TIME],
        numbers[MAX_TIME],
        numbers[ENTRIES],
        numbers[DELETES],
        numbers[RANGE_DELETES],
        numbers[SUBTREES],
        numbers[OBSOLETE],
        numbers[EXPIRING],
        numbers[MAX_EXPIRY],
        numbers[RAW_BYTES],
        blobs,
        new TableProperties.Layout(
            numbers[DATA_BLOCKS],
            numbers[DATA_BYTES],
            numbers[DATA_RAW_BYTES],
            numbers[DATA_RAW_BYTES_MAX],
            numbers[PARTITIONS],
            numbers[INDEX_BYTES],
            numbers[FILTER_BYTES],
            (int) numbers[LEVEL],
            numbers[CREATION_TIME],
            numbers[TIME_BASE]),
        tree);
  }

  private static long[] blobs(BlockInput in) throws BlockStructureException {
    // A blob takes at least one byte, so that the array is no longer than what was read.
    long[] blobs = new long[in.left()];
    int count = 0;
    long last = 0;
    while (!in.atEnd()) {
      last += in.number();
      blobs[count++] = last;
    }
    return Arrays.copyOf(blobs, count);
  }
}
