package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

// Goal: a search in a block that begins with a guess ends at the right record, wherever the guess
// leads: keys evenly spread, in clusters, at both ends of all numbers, or all with one head.
// Method: each key of a block, and keys right before and after it, beside a walk over the block.
final class BlockSearchTest {
  private static final long TRAILER = Trailer.of(5, KeyKind.PUT);

  @Test
  void findsWhatAWalkFinds() {
    Seeds.forEach(1, 300, seed -> run(seed.random("block")));
  }

  private static void run(RandomGenerator random) throws IOException {
    TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
    int shape = random.nextInt(5);
    int count = 1 + random.nextInt(300);
    for (int i = 0; i < count; i++) {
      keys.add(key(random, shape));
    }
    Block block = block(List.copyOf(keys));
    for (byte[] key : keys) {
      check(block, key);
      check(block, Bytes.successor(key));
      check(block, Bytes.copy(key, 0, key.length - 1));
      byte[] near = key.clone();
      near[random.nextInt(near.length)] ^= (byte) (1 << random.nextInt(8));
      check(block, near);
    }
  }

  private static byte[] key(RandomGenerator random, int shape) {
    byte[] key = new byte[12];
    long head =
        switch (shape) {
          case 0 -> random.nextLong();
          case 1 -> random.nextInt(1_000);
          // A crowd, and some far away from it on both sides.
          case 2 -> random.nextInt(8) == 0 ? random.nextLong() : (1L << 40) + random.nextInt(200);
          case 3 -> random.nextBoolean() ? -1L - random.nextInt(100) : random.nextInt(100);
          default -> 7;
        };
    Bytes.putHead(key, 0, head, Long.BYTES);
    Fixed.putInt(key, Long.BYTES, random.nextInt());
    return key;
  }

  private static Block block(List<byte[]> keys) throws IOException {
    BlockWriter writer = new BlockWriter();
    byte[] last = Bytes.EMPTY;
    for (byte[] key : keys) {
      int shared = Bytes.sharedPrefix(last, 0, last.length, key, 0, key.length);
      writer.add(key, 0, key.length, shared, false, TRAILER);
      writer.addValue(key, 0, 1);
      last = key;
    }
    byte[] bytes = new byte[writer.rawBytes() + Long.BYTES];
    int length = writer.rawBytes();
    writer.finish(bytes, 0);
    return new Block(TableFormat.DATA, bytes, 0, length);
  }

  private static void check(Block block, byte[] target) {
    Comparator<byte[]> order = Bytes::compare;
    int expected = 0;
    while (expected < block.count() && order.compare(block.key(expected), target) < 0) {
      expected++;
    }
    assertThat(block.lowerBound(target, 0, target.length, Trailer.NEWEST))
        .as(() -> Bytes.hex(target) + " among " + block.count())
        .isEqualTo(expected);
  }
}
