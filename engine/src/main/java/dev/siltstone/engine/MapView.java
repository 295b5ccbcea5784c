package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Set;
import java.util.Spliterator;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A tree as a map; see {@link Tree#asMap}. Submaps and descending maps are views of the same kind
 * with other bounds and the other direction.
 *
 * <p>Every way to find an entry comes down to the first or the last of a range of bytes. No cursor
 * stays open between two calls: iterators read entries page by page.
 */
final class MapView<K, V> extends AbstractMap<K, V> implements ConcurrentNavigableMap<K, V> {
  /** Entries of the first page of an iterator, which many leave after a few; later ones double. */
  private static final int PAGE_ENTRIES_MIN = 16;

  private static final int PAGE_ENTRIES_MAX = 1_024;

  /** A page ends behind the entry that makes its keys and values longer than this. */
  private static final int PAGE_BYTES = 256 << 10;

  private final Tree tree;
  private final KeyLocks locks;
  private final Codec<K> keys;
  private final Codec<V> values;
  private final MapBounds bounds;
  private final boolean descending;

  MapView(
      Tree tree,
      KeyLocks locks,
      Codec<K> keys,
      Codec<V> values,
      MapBounds bounds,
      boolean descending) {
    this.tree = tree;
    this.locks = locks;
    this.keys = keys;
    this.values = values;
    this.bounds = bounds;
    this.descending = descending;
  }

  /** An entry as bytes; without a value if only keys were asked for. */
  private record Raw(byte[] key, byte @Nullable [] value) {}

  // ---- One key ---------------------------------------------------------------------------------

  @SuppressWarnings("unchecked") // A key of another type is a ClassCastException of the codec.
  private byte[] encodeKey(Object key) {
    return keys.encode((K) Objects.requireNonNull(key, "key"));
  }

  @SuppressWarnings("unchecked") // As above.
  private byte[] encodeValue(Object value) {
    return values.encode((V) Objects.requireNonNull(value, "value"));
  }

  private @Nullable V decode(byte @Nullable [] value) {
    return value == null ? null : values.decode(value);
  }

  private Map.@Nullable Entry<K, V> decode(@Nullable Raw raw) {
    return raw == null ? null : entry(raw);
  }

  private Map.Entry<K, V> entry(Raw raw) {
    byte[] value = Objects.requireNonNull(raw.value);
    return new SimpleImmutableEntry<>(keys.decode(raw.key), values.decode(value));
  }

  /** The bytes of a key that may be written. */
  private byte[] ownKey(Object key) {
    byte[] encoded = encodeKey(key);
    if (!bounds.contains(encoded)) {
      throw new IllegalArgumentException("key out of the range of this map");
    }
    return encoded;
  }

  @Override
  public @Nullable V get(Object key) {
    byte[] encoded = encodeKey(key);
    return bounds.contains(encoded) ? decode(tree.get(encoded)) : null;
  }

  @Override
  public V getOrDefault(Object key, V otherwise) {
    V value = get(key);
    return value == null ? otherwise : value;
  }

  @Override
  public boolean containsKey(Object key) {
    byte[] encoded = encodeKey(key);
    return bounds.contains(encoded) && tree.contains(encoded);
  }

  @Override
  public @Nullable V put(K key, V value) {
    byte[] encoded = ownKey(key);
    byte[] next = encodeValue(value);
    ReentrantLock lock = locks.lock(encoded);
    try {
      byte[] before = tree.get(encoded);
      tree.put(encoded, next);
      return decode(before);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable V putIfAbsent(K key, V value) {
    byte[] encoded = ownKey(key);
    byte[] next = encodeValue(value);
    ReentrantLock lock = locks.lock(encoded);
    try {
      byte[] before = tree.get(encoded);
      if (before == null) {
        tree.put(encoded, next);
      }
      return decode(before);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable V remove(Object key) {
    byte[] encoded = encodeKey(key);
    return bounds.contains(encoded) ? decode(take(encoded)) : null;
  }

  /** Deletes a key; what it had, or {@code null}. */
  private byte @Nullable [] take(byte[] key) {
    ReentrantLock lock = locks.lock(key);
    try {
      byte[] before = tree.get(key);
      if (before != null) {
        tree.delete(key);
      }
      return before;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean remove(Object key, @Nullable Object value) {
    byte[] encoded = encodeKey(key);
    if (value == null || !bounds.contains(encoded)) {
      return false;
    }
    byte[] expected = encodeValue(value);
    ReentrantLock lock = locks.lock(encoded);
    try {
      boolean same = Arrays.equals(tree.get(encoded), expected);
      if (same) {
        tree.delete(encoded);
      }
      return same;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean replace(K key, V expected, V value) {
    byte[] encoded = ownKey(key);
    byte[] before = encodeValue(expected);
    byte[] next = encodeValue(value);
    ReentrantLock lock = locks.lock(encoded);
    try {
      boolean same = Arrays.equals(tree.get(encoded), before);
      if (same) {
        tree.put(encoded, next);
      }
      return same;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable V replace(K key, V value) {
    byte[] encoded = ownKey(key);
    byte[] next = encodeValue(value);
    ReentrantLock lock = locks.lock(encoded);
    try {
      byte[] before = tree.get(encoded);
      if (before != null) {
        tree.put(encoded, next);
      }
      return decode(before);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable V compute(
      K key, BiFunction<? super K, ? super @Nullable V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return change(key, before -> function.apply(key, before));
  }

  @Override
  public @Nullable V computeIfAbsent(K key, Function<? super K, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    V there = get(key);
    return there != null
        ? there
        : change(key, before -> before == null ? function.apply(key) : before);
  }

  @Override
  public @Nullable V computeIfPresent(
      K key, BiFunction<? super K, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(function, "function");
    return change(key, before -> before == null ? null : function.apply(key, before));
  }

  @Override
  public @Nullable V merge(
      K key, V value, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
    Objects.requireNonNull(value, "value");
    Objects.requireNonNull(function, "function");
    return change(key, before -> before == null ? value : function.apply(before, value));
  }

  /** Gives a key the value that a function makes of the present one; {@code null} is no value. */
  private @Nullable V change(K key, Function<@Nullable V, @Nullable V> function) {
    byte[] encoded = ownKey(key);
    ReentrantLock lock = locks.lock(encoded);
    try {
      byte[] before = tree.get(encoded);
      V next = function.apply(decode(before));
      if (next != null) {
        // Also if it is the very object of before, which the function may have changed.
        tree.put(encoded, encodeValue(next));
      } else if (before != null) {
        tree.delete(encoded);
      }
      return next;
    } finally {
      lock.unlock();
    }
  }

  // ---- All keys --------------------------------------------------------------------------------

  @Override
  public int size() {
    if (isHollow()) {
      return 0;
    }
    return (int) Math.min(Integer.MAX_VALUE, tree.count(range()));
  }

  @Override
  public boolean isEmpty() {
    return edge(!descending, false) == null;
  }

  @Override
  public boolean containsValue(Object value) {
    byte[] wanted = encodeValue(value);
    Pages pages = new Pages(true);
    while (pages.hasNext()) {
      if (Arrays.equals(pages.next().value, wanted)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void clear() {
    if (isHollow()) {
      return;
    }
    locks.lockAll();
    try {
      tree.deleteRange(range());
    } finally {
      locks.unlockAll();
    }
  }

  private KeyRange range() {
    return new KeyRange(bounds.lower(), bounds.upper());
  }

  /** Whether no key lies between the bounds. */
  private boolean isHollow() {
    return isHollow(bounds.lower(), bounds.upper());
  }

  private static boolean isHollow(byte @Nullable [] lower, byte @Nullable [] upper) {
    return lower != null && upper != null && Bytes.compare(lower, upper) >= 0;
  }

  // ---- Neighbours ------------------------------------------------------------------------------

  /** Entries of a range from one of its ends on, at most so many. */
  private List<Raw> read(
      byte @Nullable [] lower,
      byte @Nullable [] upper,
      boolean ascending,
      int entriesMax,
      boolean withValues) {
    List<Raw> found = new ArrayList<>();
    if (isHollow(lower, upper)) {
      return found;
    }
    long bytes = 0;
    try (Cursor cursor = tree.cursor(ReadOptions.DEFAULT.withRange(new KeyRange(lower, upper)))) {
      boolean more = ascending ? cursor.first() : cursor.last();
      while (more) {
        Raw raw = new Raw(cursor.key(), withValues ? cursor.value() : null);
        found.add(raw);
        bytes += raw.key.length + (raw.value == null ? 0 : raw.value.length);
        if (found.size() == entriesMax || bytes > PAGE_BYTES) {
          break;
        }
        more = ascending ? cursor.next() : cursor.prev();
      }
    }
    return found;
  }

  private @Nullable Raw edge(boolean ascending, boolean withValue) {
    return first(read(bounds.lower(), bounds.upper(), ascending, 1, withValue));
  }

  /** The nearest entry on one side of a key, or at it; sides are those of this view. */
  private @Nullable Raw near(K key, boolean up, boolean inclusive, boolean withValue) {
    byte[] encoded = encodeKey(key);
    byte[] lower = bounds.lower();
    byte[] upper = bounds.upper();
    boolean ascending = up != descending;
    byte[] bound = ascending == inclusive ? encoded : MapBounds.after(encoded);
    if (ascending) {
      lower = lower == null || Bytes.compare(lower, bound) < 0 ? bound : lower;
    } else {
      upper = upper == null || Bytes.compare(bound, upper) < 0 ? bound : upper;
    }
    return first(read(lower, upper, ascending, 1, withValue));
  }

  private static @Nullable Raw first(List<Raw> found) {
    return found.isEmpty() ? null : found.getFirst();
  }

  private @Nullable K keyOf(@Nullable Raw raw) {
    return raw == null ? null : keys.decode(raw.key);
  }

  @Override
  public Map.@Nullable Entry<K, V> lowerEntry(K key) {
    return decode(near(key, false, false, true));
  }

  @Override
  public Map.@Nullable Entry<K, V> floorEntry(K key) {
    return decode(near(key, false, true, true));
  }

  @Override
  public Map.@Nullable Entry<K, V> ceilingEntry(K key) {
    return decode(near(key, true, true, true));
  }

  @Override
  public Map.@Nullable Entry<K, V> higherEntry(K key) {
    return decode(near(key, true, false, true));
  }

  @Override
  public @Nullable K lowerKey(K key) {
    return keyOf(near(key, false, false, false));
  }

  @Override
  public @Nullable K floorKey(K key) {
    return keyOf(near(key, false, true, false));
  }

  @Override
  public @Nullable K ceilingKey(K key) {
    return keyOf(near(key, true, true, false));
  }

  @Override
  public @Nullable K higherKey(K key) {
    return keyOf(near(key, true, false, false));
  }

  @Override
  public Map.@Nullable Entry<K, V> firstEntry() {
    return decode(edge(!descending, true));
  }

  @Override
  public Map.@Nullable Entry<K, V> lastEntry() {
    return decode(edge(descending, true));
  }

  @Override
  public K firstKey() {
    return requireKey(edge(!descending, false));
  }

  @Override
  public K lastKey() {
    return requireKey(edge(descending, false));
  }

  private K requireKey(@Nullable Raw raw) {
    if (raw == null) {
      throw new NoSuchElementException("the map is empty");
    }
    return keys.decode(raw.key);
  }

  @Override
  public Map.@Nullable Entry<K, V> pollFirstEntry() {
    return poll(!descending);
  }

  @Override
  public Map.@Nullable Entry<K, V> pollLastEntry() {
    return poll(descending);
  }

  private Map.@Nullable Entry<K, V> poll(boolean ascending) {
    while (true) {
      Raw raw = edge(ascending, false);
      if (raw == null) {
        return null;
      }
      // Somebody else may have been faster.
      byte[] value = take(raw.key);
      if (value != null) {
        return entry(new Raw(raw.key, value));
      }
    }
  }

  // ---- Views -----------------------------------------------------------------------------------

  @Override
  public Comparator<? super K> comparator() {
    Comparator<K> ascending = (a, b) -> Bytes.compare(encodeKey(a), encodeKey(b));
    return descending ? ascending.reversed() : ascending;
  }

  /** A narrower view; {@code null} leaves a side as it is, sides are those of this view. */
  private MapView<K, V> sub(
      byte @Nullable [] from, boolean fromInclusive, byte @Nullable [] to, boolean toInclusive) {
    MapBounds narrower =
        descending
            ? bounds.sub(to, toInclusive, from, fromInclusive)
            : bounds.sub(from, fromInclusive, to, toInclusive);
    return new MapView<>(tree, locks, keys, values, narrower, descending);
  }

  @Override
  public ConcurrentNavigableMap<K, V> subMap(
      K from, boolean fromInclusive, K to, boolean toInclusive) {
    return sub(encodeKey(from), fromInclusive, encodeKey(to), toInclusive);
  }

  @Override
  public ConcurrentNavigableMap<K, V> headMap(K to, boolean inclusive) {
    return sub(null, true, encodeKey(to), inclusive);
  }

  @Override
  public ConcurrentNavigableMap<K, V> tailMap(K from, boolean inclusive) {
    return sub(encodeKey(from), inclusive, null, true);
  }

  @Override
  public ConcurrentNavigableMap<K, V> subMap(K from, K to) {
    return subMap(from, true, to, false);
  }

  @Override
  public ConcurrentNavigableMap<K, V> headMap(K to) {
    return headMap(to, false);
  }

  @Override
  public ConcurrentNavigableMap<K, V> tailMap(K from) {
    return tailMap(from, true);
  }

  @Override
  public MapView<K, V> descendingMap() {
    return new MapView<>(tree, locks, keys, values, bounds, !descending);
  }

  @Override
  public NavigableSet<K> navigableKeySet() {
    return new MapKeySet<>(this);
  }

  @Override
  public NavigableSet<K> keySet() {
    return navigableKeySet();
  }

  @Override
  public NavigableSet<K> descendingKeySet() {
    return descendingMap().navigableKeySet();
  }

  @Override
  public Set<Map.Entry<K, V>> entrySet() {
    return new Entries();
  }

  @Override
  public Collection<V> values() {
    return new Values();
  }

  // ---- Iteration -------------------------------------------------------------------------------

  Iterator<K> keyIterator() {
    return new Elements<>(false, raw -> keys.decode(raw.key));
  }

  /** The entries of this view in its order, read page by page. */
  private final class Pages implements Iterator<Raw> {
    private final boolean withValues;
    private byte @Nullable [] lower = bounds.lower();
    private byte @Nullable [] upper = bounds.upper();
    private List<Raw> page = List.of();
    private int at;
    private int entriesMax = PAGE_ENTRIES_MIN;
    private boolean ended;

    Pages(boolean withValues) {
      this.withValues = withValues;
    }

    @Override
    public boolean hasNext() {
      if (at == page.size() && !ended) {
        page = read(lower, upper, !descending, entriesMax, withValues);
        at = 0;
        entriesMax = Math.min(2 * entriesMax, PAGE_ENTRIES_MAX);
        ended = page.isEmpty();
        if (!ended) {
          byte[] last = page.getLast().key;
          lower = descending ? lower : MapBounds.after(last);
          upper = descending ? last : upper;
        }
      }
      return at < page.size();
    }

    @Override
    public Raw next() {
      if (!hasNext()) {
        throw new NoSuchElementException("no more entries");
      }
      return page.get(at++);
    }
  }

  /** Keys, values or entries, decoded as they are asked for. */
  private final class Elements<T> implements Iterator<T> {
    private final Pages pages;
    private final Function<Raw, T> decoder;
    private byte @Nullable [] last;

    Elements(boolean withValues, Function<Raw, T> decoder) {
      this.pages = new Pages(withValues);
      this.decoder = decoder;
    }

    @Override
    public boolean hasNext() {
      return pages.hasNext();
    }

    @Override
    public T next() {
      Raw raw = pages.next();
      last = raw.key;
      return decoder.apply(raw);
    }

    @Override
    public void remove() {
      byte[] key = last;
      if (key == null) {
        throw new IllegalStateException("no entry to remove");
      }
      last = null;
      take(key);
    }
  }

  private final class Entries extends AbstractSet<Map.Entry<K, V>> {
    @Override
    public Iterator<Map.Entry<K, V>> iterator() {
      return new Elements<>(true, MapView.this::entry);
    }

    @Override
    public Spliterator<Map.Entry<K, V>> spliterator() {
      Comparator<? super K> order = comparator();
      return new MapSpliterator<>(iterator(), (a, b) -> order.compare(a.getKey(), b.getKey()));
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return MapView.this.isEmpty();
    }

    @Override
    public boolean contains(@Nullable Object object) {
      if (!(object instanceof Map.Entry<?, ?> entry)
          || entry.getKey() == null
          || entry.getValue() == null) {
        return false;
      }
      byte[] key = encodeKey(entry.getKey());
      return bounds.contains(key) && Arrays.equals(tree.get(key), encodeValue(entry.getValue()));
    }

    @Override
    public boolean remove(@Nullable Object object) {
      return object instanceof Map.Entry<?, ?> entry
          && entry.getKey() != null
          && MapView.this.remove(entry.getKey(), entry.getValue());
    }

    @Override
    public void clear() {
      MapView.this.clear();
    }
  }

  private final class Values extends AbstractCollection<V> {
    @Override
    public Iterator<V> iterator() {
      return new Elements<>(true, raw -> values.decode(Objects.requireNonNull(raw.value)));
    }

    @Override
    public Spliterator<V> spliterator() {
      return new MapSpliterator<>(iterator(), null);
    }

    @Override
    public int size() {
      return MapView.this.size();
    }

    @Override
    public boolean isEmpty() {
      return MapView.this.isEmpty();
    }

    @Override
    public boolean contains(Object value) {
      return containsValue(value);
    }

    @Override
    public void clear() {
      MapView.this.clear();
    }
  }
}
