package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;

/**
 * Records and range deletes of a small random tree, and the reader that defines what they mean: it
 * looks at all of them for every question.
 */
final class RandomTree {
  /** Times of records are 1 to this; expiries reach beyond. */
  static final int TIME_MAX = 20;

  /** Readers are tried up to this time. */
  static final int READER_TIME_MAX = 26;

  /** A range delete. */
  record RangeDelete(byte[] lower, byte[] upper, long time) {
    boolean covers(byte[] key) {
      return Bytes.compare(lower, key) <= 0 && Bytes.compare(key, upper) < 0;
    }
  }

  /** What one file holds, or several. */
  record Content(TreeSet<TestRecord> records, List<RangeDelete> rangeDeletes) {
    Content() {
      this(new TreeSet<>(), new ArrayList<>());
    }

    void addAll(Content that) {
      records.addAll(that.records);
      rangeDeletes.addAll(that.rangeDeletes);
    }

    FragmentedRangeTombstones fragments() {
      FragmentedRangeTombstones.Builder builder = new FragmentedRangeTombstones.Builder();
      rangeDeletes.forEach(delete -> builder.add(delete.lower, delete.upper, delete.time));
      return builder.build();
    }

    void addFragments(FragmentedRangeTombstones fragments) {
      fragments.forEach(
          HybridTime.MIN,
          (lower, upper, times) -> {
            for (long time : times) {
              rangeDeletes.add(new RangeDelete(lower, upper, time));
            }
          });
    }
  }

  private RandomTree() {}

  /** The record that a reader at a time sees at a key; null for none. */
  static TestRecord visible(Content content, byte[] key, long atTime) {
    TestRecord newest = null;
    for (TestRecord record : content.records) {
      if (Arrays.equals(record.key(), key) && record.time() <= atTime) {
        newest = newest == null || record.time() > newest.time() ? record : newest;
      }
    }
    if (newest == null
        || !KeyKind.isPut(newest.kind())
        || expiry(newest) <= atTime
        || newest.time() < hider(content, newest, atTime)) {
      return null;
    }
    return newest;
  }

  /** The greatest time, at most the given, of what hides a record from above or by its range. */
  static long hider(Content content, TestRecord record, long atTime) {
    long greatest = 0;
    byte[] key = record.key();
    for (TestRecord above : content.records) {
      if (KeyKind.isSubtree(above.kind())
          && above.time() <= atTime
          && Bytes.startsWith(key, 0, key.length, above.key())) {
        greatest = Math.max(greatest, above.time());
      }
    }
    for (RangeDelete delete : content.rangeDeletes) {
      if (delete.time <= atTime && delete.covers(key)) {
        greatest = Math.max(greatest, delete.time);
      }
    }
    return greatest;
  }

  /** When a record expires; never is the greatest long. */
  static long expiry(TestRecord record) {
    return KeyKind.expires(record.kind()) ? Fixed.getLong(record.value(), 0) : Long.MAX_VALUE;
  }

  /** Random records and range deletes, dealt out to files at random. */
  static List<Content> files(Random random, int count) {
    List<Content> files = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      files.add(new Content());
    }
    TreeSet<TestRecord> all = new TreeSet<>();
    int size = 1 + random.nextInt(24);
    for (int i = 0; i < size; i++) {
      TestRecord record = record(random);
      // One record of a key and time, whatever its kind.
      if (all.stream()
          .noneMatch(
              other -> other.time() == record.time() && Arrays.equals(other.key(), record.key()))) {
        all.add(record);
        files.get(random.nextInt(count)).records.add(record);
      }
    }
    for (int i = random.nextInt(3) == 0 ? random.nextInt(5) : 0; i > 0; i--) {
      // Often below one key, so that ranges meet within a subtree.
      byte[] above = random.nextBoolean() ? all.first().key() : Bytes.EMPTY;
      byte[] a = random.nextInt(3) == 0 ? above : concat(above, key(random));
      byte[] b = concat(above, key(random));
      if (Bytes.compare(a, b) < 0) {
        files
            .get(random.nextInt(count))
            .rangeDeletes
            .add(new RangeDelete(a, b, 1 + random.nextInt(TIME_MAX)));
      }
    }
    return files;
  }

  private static TestRecord record(Random random) {
    int kind = random.nextInt(3) == 0 ? KeyKind.DELETE : KeyKind.PUT;
    if (random.nextInt(3) == 0) {
      kind |= KeyKind.SUBTREE;
    }
    byte[] value = {};
    long time = 1 + random.nextInt(TIME_MAX);
    if (kind == KeyKind.PUT || kind == (KeyKind.PUT | KeyKind.SUBTREE)) {
      boolean expires = random.nextInt(3) == 0;
      kind |= expires ? KeyKind.EXPIRES : 0;
      kind |= random.nextInt(8) == 0 ? KeyKind.SEPARATED : 0;
      value = new byte[(expires ? KeyKind.EXPIRY_BYTES : 0) + 2];
      random.nextBytes(value);
      if (expires) {
        Fixed.putLong(value, 0, time + random.nextInt(READER_TIME_MAX - TIME_MAX));
      }
    }
    return new TestRecord(key(random), Trailer.of(time, kind), value);
  }

  /**
   * Keys of up to three components, many of them prefixes of others, with zeros and ones in them.
   */
  static byte[] key(Random random) {
    byte[][] components = {{'a'}, {'a', 0}, {0}, {(byte) 0xFF}, {'b'}, {'a', 0, 1}};
    byte[] key = Bytes.EMPTY;
    for (int i = random.nextInt(random.nextInt(10) == 0 ? 4 : 3) + 1; i > 0; i--) {
      key = concat(key, components[random.nextInt(components.length)]);
    }
    return random.nextInt(40) == 0 ? Bytes.EMPTY : key;
  }

  private static byte[] concat(byte[] a, byte[] b) {
    byte[] both = Arrays.copyOf(a, a.length + b.length);
    System.arraycopy(b, 0, both, a.length, b.length);
    return both;
  }
}
