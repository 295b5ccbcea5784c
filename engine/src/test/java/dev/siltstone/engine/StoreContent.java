package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.siltstone.base.bytes.Fixed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a store should hold: for each tree, by a number that is never used twice, its keys and which
 * value they have. Immutable. A value is known by its number and length, from which its bytes
 * follow, so one that is torn or mixed is noticed when it is read.
 */
record StoreContent(Map<Integer, TreeMap<String, String>> trees) {
  static final StoreContent EMPTY = new StoreContent(Map.of());

  /** One write of a batch: of a value, a delete (no value), or a range delete (an upper bound). */
  record Change(
      int tree, String key, @Nullable String upper, long number, int length, boolean delete) {}

  /** The content after a batch. */
  StoreContent apply(List<Change> batch) {
    Map<Integer, TreeMap<String, String>> next = new HashMap<>(trees);
    for (Change change : batch) {
      TreeMap<String, String> before = next.getOrDefault(change.tree, new TreeMap<>());
      TreeMap<String, String> after = new TreeMap<>(before);
      if (change.upper != null) {
        after.subMap(change.key, change.upper).clear();
      } else if (change.delete) {
        after.remove(change.key);
      } else {
        after.put(change.key, describe(change.number, change.length));
      }
      next.put(change.tree, after);
    }
    return new StoreContent(next);
  }

  /** What is to be read when these trees exist. */
  Map<String, Map<String, String>> named(Map<String, Integer> names) {
    Map<String, Map<String, String>> all = new TreeMap<>();
    names.forEach((name, tree) -> all.put(name, trees.getOrDefault(tree, new TreeMap<>())));
    return all;
  }

  /** Reads a whole store: by cursors both ways, and every key by itself. */
  static Map<String, Map<String, String>> read(Db db) {
    Map<String, Map<String, String>> all = new TreeMap<>();
    for (String name : db.treeNames()) {
      all.put(name, read(db.tree(name)));
    }
    return all;
  }

  private static Map<String, String> read(Tree tree) {
    Map<String, String> found = new TreeMap<>();
    List<String> order = new ArrayList<>();
    try (Cursor cursor = tree.cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        String key = new String(cursor.key(), US_ASCII);
        order.add(key);
        found.put(key, describe(cursor.value()));
        byte[] got = tree.get(cursor.key());
        if (got == null || !describe(got).equals(found.get(key))) {
          throw new AssertionError(tree + ": get and cursor differ at " + key);
        }
      }
      int left = order.size();
      for (boolean more = cursor.last(); more; more = cursor.prev()) {
        left--;
        if (left < 0 || !order.get(left).equals(new String(cursor.key(), US_ASCII))) {
          throw new AssertionError(tree + ": backwards is not forwards reversed");
        }
      }
      if (left != 0 || order.size() != found.size()) {
        throw new AssertionError(tree + ": backwards misses " + left + " of " + order);
      }
    }
    return found;
  }

  /** The bytes of a value. */
  static byte[] value(long number, int length) {
    byte[] value = new byte[Math.max(8, length)];
    new SplittableRandom(number * 31 + length).nextBytes(value);
    Fixed.putLong(value, 0, number);
    return value;
  }

  /** Says which value it is; fails if it is none. */
  static String describe(byte[] value) {
    if (value.length < 8) {
      throw new AssertionError("value of " + value.length + " bytes was never written");
    }
    long number = Fixed.getLong(value, 0);
    if (!java.util.Arrays.equals(value, value(number, value.length))) {
      throw new AssertionError("value " + number + " of " + value.length + " bytes is torn");
    }
    return describe(number, value.length);
  }

  static String describe(long number, int length) {
    return number + ":" + Math.max(8, length);
  }
}
