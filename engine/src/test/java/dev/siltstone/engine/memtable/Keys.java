package dev.siltstone.engine.memtable;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Kinds of keys that have broken ordered structures before, or might break this one. */
enum Keys {
  SHORT {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return bytes(random, random.nextInt(3));
    }
  },
  UNIFORM {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return bytes(random, 16);
    }
  },
  ASCENDING {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return "user%09d".formatted(i).getBytes(StandardCharsets.US_ASCII);
    }
  },
  DESCENDING {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return ByteBuffer.allocate(8).putLong(Long.MAX_VALUE - i).array();
    }
  },
  /** Several ascending and descending series, taking turns. */
  SERIES {
    @Override
    byte[] next(SplittableRandom random, int i) {
      int series = (i / 20) % 7;
      long time = series % 2 == 0 ? i : -1L - i;
      return ByteBuffer.allocate(13).put((byte) series).putInt(series).putLong(time).array();
    }
  },
  /** Long common prefixes that branch at all depths. */
  NESTED {
    @Override
    byte[] next(SplittableRandom random, int i) {
      byte[] key = new byte[random.nextInt(40)];
      for (int at = 0; at < key.length; at++) {
        key[at] = (byte) (random.nextInt(8) == 0 ? random.nextInt(256) : 'a');
      }
      return key;
    }
  },
  /** Alike but for zero bytes at the end: their heads are equal. */
  ZERO_TAILS {
    @Override
    byte[] next(SplittableRandom random, int i) {
      byte[] front = "prefix".getBytes(StandardCharsets.US_ASCII);
      return Arrays.copyOf(front, random.nextInt(30));
    }
  },
  /** All bytes 0xFF and 0x00, where heads meet the padding of unused places. */
  EXTREMES {
    @Override
    byte[] next(SplittableRandom random, int i) {
      byte[] key = new byte[random.nextInt(20)];
      Arrays.fill(key, (byte) 0xFF);
      if (key.length > 0 && random.nextBoolean()) {
        key[random.nextInt(key.length)] = 0;
      }
      return key;
    }
  },
  /** One stranger makes the common prefix of all others useless. */
  STRANGER {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return i == 500
          ? new byte[] {1}
          : "a-prefix-that-is-long/%06d"
              .formatted(random.nextInt(5000))
              .getBytes(StandardCharsets.US_ASCII);
    }
  },
  /** So few that leaves are full of versions of one key. */
  HOT {
    @Override
    byte[] next(SplittableRandom random, int i) {
      return new byte[] {(byte) random.nextInt(5)};
    }
  },
  LONG {
    @Override
    byte[] next(SplittableRandom random, int i) {
      byte[] key = new byte[random.nextInt(10) == 0 ? 65_536 - random.nextInt(3) : 2000];
      key[key.length - 1] = (byte) random.nextInt(20);
      key[random.nextInt(2000)] = (byte) random.nextInt(3);
      return key;
    }
  };

  /** The key of the {@code i}-th record. */
  abstract byte[] next(SplittableRandom random, int i);

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] key = new byte[length];
    random.nextBytes(key);
    return key;
  }
}
