package dev.siltstone.engine.memtable;

import org.jspecify.annotations.Nullable;

/**
 * A Bloom filter over the hashes of a memtable's keys. All bits of a key lie in one word of 64, so
 * a question costs one load; 16 bits a key make up for what that costs in precision (0.6 % wrong at
 * the size meant, some more beyond it: the filter never fills up so far as to be wrong in its
 * answers, only useless).
 *
 * <p>A first layer takes the first keys. When it has its fill, a second one of the size meant takes
 * the rest, so that a large one is never rebuilt. The first layer begins small and is doubled,
 * since most trees of a store with many stay small: a key's word is its hash times the length, so
 * every word of a layer stands for two of one twice as long, and copying it to both loses no key.
 * This happens while a word holds one key in two on average, so that little is copied in vain (1.1
 * % wrong where the first layer is full).
 *
 * <p>One thread adds. A reader sees the bits of a key if it started after the key was published.
 * Source: the register-blocked filters of Lang et al., "Performance-optimal filtering" (2019).
 */
final class KeyFilter {
  /** So many bits a key. */
  static final int KEY_BITS = 16;

  private static final int LAYER_WORDS = 4096;
  private static final int LAYER_KEYS = LAYER_WORDS * Long.SIZE / KEY_BITS;
  private static final int PAGE_SHIFT = 14;
  private static final int PAGE_MASK = (1 << PAGE_SHIFT) - 1;
  private static final int WORDS_MIN = 8;

  /** Length of the first layer when it is new. */
  private static final int START_WORDS = 128;

  private static final int WORDS_MAX = 1 << 28;

  private final int words;
  private volatile long[] first;

  /** The second layer, in pages of 128 KiB, ordinary objects for every collector. */
  private volatile long @Nullable [][] second;

  private int firstKeys;

  /** A filter for about so many keys. */
  KeyFilter(long keys) {
    long ideal = keys * KEY_BITS / Long.SIZE;
    words = (int) Math.max(WORDS_MIN, Math.min(ideal, WORDS_MAX));
    first = new long[Math.min(words, START_WORDS)];
  }

  /** Adds a key; adding it again does no harm. */
  void add(long hash) {
    long mask = mask(hash);
    if (firstKeys < LAYER_KEYS || words <= LAYER_WORDS) {
      addToFirst(hash, mask);
      return;
    }
    long[][] pages = second;
    if (pages == null) {
      pages = allocate();
      second = pages;
    }
    int index = index(hash, words);
    pages[index >>> PAGE_SHIFT][index & PAGE_MASK] |= mask;
  }

  private void addToFirst(long hash, long mask) {
    long[] layer = first;
    if (firstKeys >= layer.length / 2 && layer.length < Math.min(words, LAYER_WORDS)) {
      layer = doubled(layer);
      first = layer;
    }
    firstKeys++;
    layer[index(hash, layer.length)] |= mask;
  }

  private static long[] doubled(long[] layer) {
    long[] doubled = new long[2 * layer.length];
    for (int i = 0; i < layer.length; i++) {
      doubled[2 * i] = layer[i];
      doubled[2 * i + 1] = layer[i];
    }
    return doubled;
  }

  /** Whether a key of that hash may have been added. */
  boolean mayContain(long hash) {
    long mask = mask(hash);
    long[] layer = first;
    if ((layer[index(hash, layer.length)] & mask) == mask) {
      return true;
    }
    long[][] pages = second;
    if (pages == null) {
      return false;
    }
    int index = index(hash, words);
    return (pages[index >>> PAGE_SHIFT][index & PAGE_MASK] & mask) == mask;
  }

  /** Memory in bytes. */
  long bytes() {
    return Long.BYTES * (first.length + (second == null ? 0L : words));
  }

  private long[][] allocate() {
    int pages = (words + PAGE_MASK) >>> PAGE_SHIFT;
    long[][] allocated = new long[pages][];
    for (int i = 0; i < pages; i++) {
      allocated[i] = new long[Math.min(1 << PAGE_SHIFT, words - (i << PAGE_SHIFT))];
    }
    return allocated;
  }

  /** The word, from the upper half of the hash. */
  private static int index(long hash, int words) {
    return (int) (((hash >>> 32) * words) >>> 32);
  }

  /** Four bits, from the lower half of the hash. */
  private static long mask(long hash) {
    return (1L << hash) | (1L << (hash >>> 6)) | (1L << (hash >>> 12)) | (1L << (hash >>> 18));
  }
}
