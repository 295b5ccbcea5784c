package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Varint;
import java.io.IOException;
import java.util.Arrays;

/**
 * What a table file says of itself, so that a manifest can be made anew from the files alone. The
 * arrays are not to be changed.
 *
 * @param fileBytes length of the file; 0 in the file itself, which does not know it yet
 * @param lower smallest key of a record or range delete, inclusive
 * @param upper exclusive bound of all keys and range deletes
 * @param minTime smallest hybrid time
 * @param maxTime greatest hybrid time
 * @param entries point records
 * @param deletes records whose base is DELETE
 * @param rangeDeletes range-delete fragments
 * @param subtrees records with the SUBTREE flag
 * @param obsolete records that follow a newer one of the same key
 * @param expiring records with the EXPIRES flag
 * @param maxExpiry greatest expiry of those
 * @param rawBytes bytes of keys and values
 * @param blobs numbers of the blob files that records refer to, ascending
 */
public record TableProperties(
    long fileBytes,
    byte[] lower,
    byte[] upper,
    long minTime,
    long maxTime,
    long entries,
    long deletes,
    long rangeDeletes,
    long subtrees,
    long obsolete,
    long expiring,
    long maxExpiry,
    long rawBytes,
    long[] blobs) {

  /** Numbers before the keys. */
  private static final int NUMBERS = 10;

  byte[] encode() {
    int size = Varint.LONG_BYTES_MAX * (NUMBERS + 3 + blobs.length) + lower.length + upper.length;
    byte[] target = new byte[size];
    int at = 0;
    for (long number :
        new long[] {
          minTime,
          maxTime,
          entries,
          deletes,
          rangeDeletes,
          subtrees,
          obsolete,
          expiring,
          maxExpiry,
          rawBytes
        }) {
      at = Varint.put(target, at, number);
    }
    at = put(target, at, lower);
    at = put(target, at, upper);
    at = Varint.put(target, at, blobs.length);
    for (long blob : blobs) {
      at = Varint.put(target, at, blob);
    }
    return Arrays.copyOf(target, at);
  }

  static TableProperties decode(byte[] source, int length, long fileBytes) throws IOException {
    SectionReader reader = new SectionReader(source, 0, length);
    long[] numbers = new long[NUMBERS];
    for (int i = 0; i < NUMBERS; i++) {
      numbers[i] = reader.number();
    }
    byte[] lower = reader.bytes();
    byte[] upper = reader.bytes();
    long[] blobs = new long[reader.count()];
    for (int i = 0; i < blobs.length; i++) {
      blobs[i] = reader.number();
    }
    reader.requireEnd();
    return new TableProperties(
        fileBytes,
        lower,
        upper,
        numbers[0],
        numbers[1],
        numbers[2],
        numbers[3],
        numbers[4],
        numbers[5],
        numbers[6],
        numbers[7],
        numbers[8],
        numbers[9],
        blobs);
  }

  private static int put(byte[] target, int at, byte[] bytes) {
    int from = Varint.put(target, at, bytes.length);
    System.arraycopy(bytes, 0, target, from, bytes.length);
    return from + bytes.length;
  }

  @Override
  public String toString() {
    return entries + " records of [" + Bytes.hex(lower) + ", " + Bytes.hex(upper) + ")";
  }
}
