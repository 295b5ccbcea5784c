package dev.siltstone.testkit.model;

import dev.siltstone.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The truth a tree is compared with: all that was ever written, in order, and a rule that says what
 * a reader at a time sees of it. Nothing is ever resolved, merged or dropped.
 *
 * <p>The rule. Operations are ordered by time, and those of one batch, which share a time, by their
 * place in it. A reader at {@code atTime} looks at the operations up to that time. Of these, the
 * last that names the key or whose range or subtree covers it decides: a put gives its value unless
 * it has expired at {@code now}, and everything else gives nothing.
 *
 * <p>One thread only. Cost of a read: all operations of the key and all range and subtree
 * operations.
 */
public final class OrderedMapModel {
  /** The operations that name a key, oldest first. */
  private final TreeMap<byte[], List<Entry>> byKey = new TreeMap<>(Arrays::compareUnsigned);

  /** The operations that cover other keys than the one they name, oldest first. */
  private final List<Entry> covers = new ArrayList<>();

  private long lastOrder;

  /** A model without content. */
  public OrderedMapModel() {}

  /** A model with the same content. */
  public OrderedMapModel copy() {
    OrderedMapModel copy = new OrderedMapModel();
    byKey.forEach((key, entries) -> copy.byKey.put(key, new ArrayList<>(entries)));
    copy.covers.addAll(covers);
    copy.lastOrder = lastOrder;
    return copy;
  }

  /** Applies the operations of a batch, all at one time. Times may come in any order. */
  public void apply(long time, List<ModelOperation> batch) {
    for (ModelOperation operation : batch) {
      Entry entry = new Entry(time, ++lastOrder, operation);
      byte[] key = operation.key();
      if (key != null) {
        byKey.computeIfAbsent(key, _ -> new ArrayList<>()).add(entry);
      }
      switch (operation) {
        case ModelOperation.DeleteRange _,
            ModelOperation.DeleteSubtree _,
            ModelOperation.PutSubtree _ ->
            covers.add(entry);
        case ModelOperation.Put _, ModelOperation.Delete _ -> {
          // They concern no other key.
        }
      }
    }
  }

  /** A batch of one put without expiry. */
  public void put(byte[] key, byte[] value, long time) {
    put(key, value, time, ModelOperation.NEVER);
  }

  /** A batch of one put. */
  public void put(byte[] key, byte[] value, long time, long expiry) {
    apply(time, List.of(new ModelOperation.Put(key, value, expiry)));
  }

  /** A batch of one delete. */
  public void delete(byte[] key, long time) {
    apply(time, List.of(new ModelOperation.Delete(key)));
  }

  /** A batch of one range delete of [lower, upper). */
  public void deleteRange(byte[] lower, byte[] upper, long time) {
    apply(time, List.of(new ModelOperation.DeleteRange(lower, upper)));
  }

  /** A batch of one subtree delete. */
  public void deleteSubtree(byte[] prefix, long time) {
    apply(time, List.of(new ModelOperation.DeleteSubtree(prefix)));
  }

  /** A batch of one subtree put. */
  public void putSubtree(byte[] prefix, byte[] value, long time, long expiry) {
    apply(time, List.of(new ModelOperation.PutSubtree(prefix, value, expiry)));
  }

  /**
   * The value of a key, not to be changed, or null.
   *
   * @param atTime only operations with a time at most this count
   * @param now values whose expiry is at most this are gone
   */
  public byte @Nullable [] get(byte[] key, long atTime, long now) {
    List<Entry> entries = byKey.get(key);
    if (entries == null) {
      return null;
    }
    Entry last = null;
    for (Entry entry : entries) {
      if (entry.time <= atTime && entry.isAfter(last)) {
        last = entry;
      }
    }
    for (Entry cover : covers) {
      if (cover.time <= atTime && cover.covers(key) && cover.isAfter(last)) {
        last = cover;
      }
    }
    return last == null ? null : last.valueFor(key, now);
  }

  /**
   * All that a reader sees, in key order; for first, last, floor, ceiling and scans both ways. A
   * copy; its arrays are not to be changed.
   */
  public NavigableMap<byte[], byte[]> view(long atTime, long now) {
    TreeMap<byte[], byte[]> view = new TreeMap<>(Arrays::compareUnsigned);
    for (byte[] key : byKey.keySet()) {
      byte[] value = get(key, atTime, now);
      if (value != null) {
        view.put(key, value);
      }
    }
    return view;
  }

  /** All keys that were ever named, live or not. */
  public List<byte[]> keys() {
    return List.copyOf(byKey.keySet());
  }

  /**
   * An operation in its place.
   *
   * @param order among all operations of the model, as they were applied
   */
  private record Entry(long time, long order, ModelOperation operation) {

    boolean isAfter(@Nullable Entry other) {
      return other == null || time > other.time || (time == other.time && order > other.order);
    }

    /** Whether the operation deletes a key that it does not name. */
    boolean covers(byte[] key) {
      return switch (operation) {
        case ModelOperation.DeleteRange range ->
            Bytes.compare(range.lower(), key) <= 0 && Bytes.compare(key, range.upper()) < 0;
        case ModelOperation.DeleteSubtree subtree -> isBelow(key, subtree.prefix());
        case ModelOperation.PutSubtree subtree -> isBelow(key, subtree.prefix());
        case ModelOperation.Put _, ModelOperation.Delete _ -> false;
      };
    }

    private static boolean isBelow(byte[] key, byte[] prefix) {
      return key.length > prefix.length && Bytes.startsWith(key, 0, key.length, prefix);
    }

    byte @Nullable [] valueFor(byte[] key, long now) {
      return switch (operation) {
        case ModelOperation.Put put -> live(put.value(), put.expiry(), now);
        case ModelOperation.PutSubtree put ->
            Arrays.equals(key, put.prefix()) ? live(put.value(), put.expiry(), now) : null;
        case ModelOperation.Delete _,
            ModelOperation.DeleteRange _,
            ModelOperation.DeleteSubtree _ ->
            null;
      };
    }

    private static byte @Nullable [] live(byte[] value, long expiry, long now) {
      return expiry != ModelOperation.NEVER && expiry <= now ? null : value;
    }
  }
}
