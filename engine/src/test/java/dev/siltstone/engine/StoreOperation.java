package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.disk.CrashMode;
import dev.siltstone.testkit.run.Seed;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** One step of a script that is run against a store and the model. Prints itself as one line. */
sealed interface StoreOperation {

  /** One write of a batch; {@code tree} 0 is the plain tree, 1 the one with subtree records. */
  record Write(Kind kind, int tree, byte[] key, byte[] upper, byte[] value, int ttlMillis) {
    enum Kind {
      PUT,
      PUT_EXPIRING,
      DELETE,
      DELETE_RANGE,
      DELETE_SUBTREE,
      PUT_SUBTREE
    }

    @Override
    public String toString() {
      return kind
          + " "
          + tree
          + " "
          + Bytes.hex(key)
          + (kind == Kind.DELETE_RANGE ? " to " + Bytes.hex(upper) : "")
          + (value.length > 0 ? " = " + value.length + " bytes" : "")
          + (kind == Kind.PUT_EXPIRING ? " for " + ttlMillis + " ms" : "");
    }
  }

  record Batch(List<Write> writes, boolean sync) implements StoreOperation {}

  record OpenSnapshot() implements StoreOperation {}

  record CloseSnapshot(int index) implements StoreOperation {}

  record Flush(int tree) implements StoreOperation {}

  record Compact(int tree, byte[] lower, byte[] upper) implements StoreOperation {
    @Override
    public String toString() {
      return "Compact " + tree + " " + Bytes.hex(lower) + " to " + Bytes.hex(upper);
    }
  }

  record Reopen() implements StoreOperation {}

  /** The process dies: everything acknowledged must be there again. */
  record Kill() implements StoreOperation {}

  /** Power is lost: a prefix of the writes must be there, with all that was synced. */
  record PowerLoss(CrashMode mode, long seed) implements StoreOperation {}

  record Pass(int millis) implements StoreOperation {}

  record Background(int tasks) implements StoreOperation {}

  record Check(int tree, byte[] key, long seed) implements StoreOperation {
    @Override
    public String toString() {
      return "Check " + tree + " " + Bytes.hex(key) + " " + seed;
    }
  }

  /** A list of operations drawn from a seed; each seed leaves out some kinds. */
  static List<StoreOperation> draw(Seed seed, int count) {
    SplittableRandom random = seed.random("operations");
    int leftOut = random.nextInt(1 << 10);
    List<StoreOperation> operations = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      operations.add(next(random, leftOut));
    }
    return operations;
  }

  private static StoreOperation next(SplittableRandom random, int leftOut) {
    int dice = random.nextInt(100);
    if (dice < 45) {
      return batch(random, leftOut);
    }
    if (dice < 48 && (leftOut & 1) == 0) {
      return new OpenSnapshot();
    }
    if (dice < 51) {
      return new CloseSnapshot(random.nextInt(4));
    }
    if (dice < 56 && (leftOut & 2) == 0) {
      return new Flush(random.nextInt(2));
    }
    if (dice < 60 && (leftOut & 4) == 0) {
      return new Compact(random.nextInt(2), key(random), key(random));
    }
    if (dice < 62 && (leftOut & 8) == 0) {
      return new Reopen();
    }
    if (dice < 64 && (leftOut & 16) == 0) {
      return new Kill();
    }
    if (dice < 66 && (leftOut & 32) == 0) {
      CrashMode[] modes = CrashMode.values();
      return new PowerLoss(modes[random.nextInt(modes.length)], random.nextLong());
    }
    if (dice < 71) {
      return new Pass(1 + random.nextInt(30));
    }
    if (dice < 80) {
      return new Background(1 + random.nextInt(5));
    }
    return new Check(random.nextInt(2), key(random), random.nextLong());
  }

  private static Batch batch(SplittableRandom random, int leftOut) {
    int count = random.nextInt(10) == 0 ? 1 + random.nextInt(40) : 1 + random.nextInt(4);
    List<Write> writes = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      writes.add(write(random, leftOut));
    }
    return new Batch(writes, random.nextInt(6) == 0);
  }

  private static Write write(SplittableRandom random, int leftOut) {
    int tree = random.nextInt(2);
    byte[] key = key(random);
    int dice = random.nextInt(100);
    if (dice < 50) {
      return new Write(Write.Kind.PUT, tree, key, key, value(random), 0);
    }
    if (dice < 58) {
      int millis = 1 + random.nextInt(60);
      return new Write(Write.Kind.PUT_EXPIRING, tree, key, key, value(random), millis);
    }
    if (dice < 80) {
      return new Write(Write.Kind.DELETE, tree, key, key, Bytes.EMPTY, 0);
    }
    if (dice < 87 && (leftOut & 64) == 0) {
      return new Write(Write.Kind.DELETE_RANGE, tree, key, key(random), Bytes.EMPTY, 0);
    }
    if (dice < 93 && (leftOut & 128) == 0) {
      return new Write(Write.Kind.DELETE_SUBTREE, tree, key, key, Bytes.EMPTY, 0);
    }
    if ((leftOut & 256) == 0) {
      return new Write(Write.Kind.PUT_SUBTREE, tree, key, key, value(random), 0);
    }
    return new Write(Write.Kind.PUT, tree, key, key, value(random), 0);
  }

  /** Short keys over few bytes, so that they meet; the empty one and zero bytes among them. */
  private static byte[] key(SplittableRandom random) {
    byte[] alphabet = {0, 1, 'a', 'b', (byte) 0xFF};
    byte[] key = new byte[random.nextInt(5)];
    for (int i = 0; i < key.length; i++) {
      key[i] = alphabet[random.nextInt(alphabet.length)];
    }
    return key;
  }

  private static byte[] value(SplittableRandom random) {
    int length =
        switch (random.nextInt(20)) {
          case 0 -> 0;
          case 1 -> 1_500 + random.nextInt(3_000);
          default -> random.nextInt(300);
        };
    byte[] value = new byte[length];
    if (random.nextBoolean()) {
      random.nextBytes(value);
    }
    return value;
  }
}
