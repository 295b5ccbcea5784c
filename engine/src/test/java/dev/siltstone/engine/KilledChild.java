package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * The program that {@code DbKillTest} kills: writes batches for ever and says on its output, in one
 * write each, which it has begun and which were acknowledged.
 */
final class KilledChild {
  static final int KEYS = 5;
  static final int GROUPS = 8;
  static final int BEGUN = 'b';
  static final int ACKNOWLEDGED = 'a';

  private KilledChild() {}

  static Options options(Durability durability) {
    return Options.builder()
        .memtableBytes(16 << 10)
        .tableBytes(16 << 10)
        .levelBaseBytes(64 << 10)
        .logSegmentBytes(64 << 10)
        .separateValueBytes(1 << 10)
        .durability(durability)
        .build();
  }

  static byte[] key(int group, int i) {
    return "g%d.%d".formatted(group, i).getBytes(US_ASCII);
  }

  /** The tree of the i-th key of a group; batches cross trees. */
  static String tree(int i) {
    return i % 2 == 0 ? "default" : "other";
  }

  static void say(OutputStream out, int what, long number) throws IOException {
    byte[] line = new byte[9];
    line[0] = (byte) what;
    for (int i = 0; i < 8; i++) {
      line[1 + i] = (byte) (number >>> (8 * i));
    }
    out.write(line);
    out.flush();
  }

  /** Arguments: directory, durability, first number. Batch n writes n to all keys of n % GROUPS. */
  public static void main(String[] args) throws IOException {
    SplittableRandom random = new SplittableRandom(Long.parseLong(args[2]));
    Db db = Db.open(Path.of(args[0]), options(Durability.valueOf(args[1])));
    db.openTree("other", TreeOptions.DEFAULT);
    for (long number = Long.parseLong(args[2]); ; number++) {
      say(System.out, BEGUN, number);
      WriteBatch batch = db.newBatch();
      int length = random.nextInt(4) == 0 ? 1_100 : 200;
      for (int i = 0; i < KEYS; i++) {
        byte[] value = StoreContent.value(number, length);
        batch.put(db.tree(tree(i)), key((int) (number % GROUPS), i), value);
      }
      db.write(batch);
      say(System.out, ACKNOWLEDGED, number);
      if (random.nextInt(40) == 0) {
        db.flush();
      }
    }
  }
}
