package dev.siltstone.engine.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.testkit.run.Seeds;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: a batch reads back as it was written, its bytes never change, and damaged ones are refused
 * in the only allowed way. Method: random round trips, a golden batch, each flip and each cut.
 */
final class BatchTest {
  private static final int PUT = KeyKind.PUT;
  private static final int DELETE = KeyKind.DELETE;
  private static final int RANGE = KeyKind.RANGE_DELETE;

  private record Written(int treeId, int kind, byte[] key, byte[] value) {}

  @Test
  void bytesNeverChange() {
    BatchWriter writer = new BatchWriter();
    writer.add(1, PUT, bytes("key"), bytes("value"));
    writer.add(300, DELETE | KeyKind.SUBTREE, bytes("k"), Bytes.EMPTY);
    writer.addExpiring(0, PUT | KeyKind.EXPIRES, 0x0102030405060708L, Bytes.EMPTY, bytes("v"));
    writer.add(2, RANGE, bytes("a"), bytes("b"));
    byte[] reference = new byte[BlobReference.BYTES];
    new BlobReference(9, 300_000, 0xCAFEBABE).write(reference, 0);
    writer.add(0, PUT | KeyKind.SEPARATED, bytes("s"), reference);
    writer.seal(0x00AB_CDEF_0123_4567L);

    assertThat(Bytes.hex(writer.array(), 0, writer.bytes()))
        .isEqualTo(
            "67452301efcdab0005000000"
                + "01010305"
                + "6b657976616c7565"
                + "22ac020100"
                + "6b"
                + "11000009"
                + "0807060504030201"
                + "76"
                + "03020101"
                + "6162"
                + "41000110"
                + "73"
                + "0900000000000000"
                + "e0930400"
                + "bebafeca");
  }

  @Test
  void readsBackWhatWasWritten() {
    Seeds.forEach(1, 200, seed -> roundTrip(seed.random("batch")));
  }

  private static void roundTrip(SplittableRandom random) throws IOException {
    BatchWriter writer = new BatchWriter();
    writer.add(7, PUT, bytes("forgotten"), bytes("soon"));
    writer.clear();
    List<Written> all = new ArrayList<>();
    int count = random.nextInt(100);
    for (int i = 0; i < count; i++) {
      Written one = randomRecord(random);
      all.add(one);
      writer.add(one.treeId, one.kind, one.key, one.value);
    }
    long time = random.nextLong(HybridTime.MAX + 1);
    writer.seal(time);

    int shift = random.nextInt(9);
    byte[] moved = new byte[shift + writer.bytes() + 3];
    System.arraycopy(writer.array(), 0, moved, shift, writer.bytes());
    BatchReader reader = new BatchReader();
    reader.open(moved, shift, writer.bytes());
    assertThat(reader.count()).isEqualTo(count).isEqualTo(writer.count());
    assertThat(reader.time()).isEqualTo(time);
    int next = shift + BatchRecord.HEADER_BYTES;
    for (Written one : all) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.recordOffset()).isEqualTo(next);
      assertIsAt(reader, one);
      next += reader.recordLength();
    }
    assertThat(reader.next()).isFalse();
    assertThat(reader.next()).isFalse();
  }

  private static void assertIsAt(BatchReader reader, Written one) {
    byte[] array = reader.array();
    assertThat(reader.treeId()).isEqualTo(one.treeId);
    assertThat(reader.kind()).isEqualTo(one.kind);
    assertThat(reader.trailer()).isEqualTo(Trailer.of(reader.time(), one.kind));
    assertThat(Bytes.copy(array, reader.keyOffset(), reader.keyLength())).isEqualTo(one.key);
    assertThat(Bytes.copy(array, reader.valueOffset(), reader.valueLength())).isEqualTo(one.value);

    int record = reader.recordOffset();
    assertThat(BatchRecord.kind(array, record)).isEqualTo(one.kind);
    assertThat(BatchRecord.compareKey(array, record, one.key, 0, one.key.length)).isZero();
    assertThat(BatchRecord.compareKeys(array, record, array, record)).isZero();
    assertThat(BatchRecord.keyOffset(array, BatchRecord.lengths(array, record), one.key.length))
        .isEqualTo(reader.keyOffset());
  }

  private static Written randomRecord(SplittableRandom random) {
    int treeId = random.nextInt(3) > 0 ? random.nextInt(3) : random.nextInt() >>> 1;
    byte[] key = new byte[random.nextInt(20) == 0 ? random.nextInt(65_537) : random.nextInt(20)];
    random.nextBytes(key);
    byte[] value = new byte[random.nextInt(300)];
    random.nextBytes(value);
    return switch (random.nextInt(5)) {
      case 0 -> new Written(treeId, DELETE, key, Bytes.EMPTY);
      case 1 -> new Written(treeId, RANGE, key, Bytes.successor(key));
      case 2 ->
          new Written(treeId, PUT | KeyKind.EXPIRES, key, Arrays.copyOf(value, value.length + 8));
      case 3 -> {
        byte[] reference = new byte[BlobReference.BYTES];
        new BlobReference(1 + random.nextInt(9), value.length, 5).write(reference, 0);
        yield new Written(treeId, PUT | KeyKind.SEPARATED, key, reference);
      }
      default -> new Written(treeId, PUT | KeyKind.SUBTREE, key, value);
    };
  }

  @Test
  void appendLeavesRoomForTheValue() throws IOException {
    BatchWriter writer = new BatchWriter();
    int at = writer.append(1, PUT, bytes("xkeyx"), 1, 3, 8);
    Fixed.putLong(writer.array(), at, 42);
    writer.add(1, PUT, bytes("other"), bytes("value"));
    writer.seal(5);
    BatchReader reader = new BatchReader();
    reader.open(writer.array(), 0, writer.bytes());
    assertThat(reader.next()).isTrue();
    assertThat(reader.keyLength()).isEqualTo(3);
    assertThat(Fixed.getLong(reader.array(), reader.valueOffset())).isEqualTo(42);
  }

  @Test
  void writerRefusesWhatTheReaderWouldRefuse() {
    BatchWriter writer = new BatchWriter();
    byte[] key = bytes("k");
    refuses(() -> writer.add(-1, PUT, key, key));
    refuses(() -> writer.add(0, 0, key, key));
    refuses(() -> writer.add(0, DELETE, key, key));
    refuses(() -> writer.add(0, PUT | KeyKind.EXPIRES, key, key));
    refuses(() -> writer.add(0, PUT | KeyKind.SEPARATED, key, key));
    refuses(() -> writer.add(0, RANGE, key, key));
    refuses(() -> writer.add(0, PUT, new byte[65_537], key));
    refuses(() -> writer.add(0, RANGE, new byte[65_538], key));
    refuses(() -> writer.append(0, RANGE, key, 0, 1, 1));
    refuses(() -> writer.addExpiring(0, PUT, 1, key, key));
    assertThat(writer.count()).isZero();
    assertThat(writer.bytes()).isEqualTo(BatchRecord.HEADER_BYTES);
  }

  private static void refuses(Runnable call) {
    assertThatIllegalArgumentException().isThrownBy(call::run);
  }

  @Test
  void batchHasALimit() {
    BatchWriter writer = new BatchWriter();
    assertThatIllegalStateException()
        .isThrownBy(() -> writer.append(0, PUT, bytes("k"), 0, 1, 1 << 30))
        .withMessageContaining("1073741");
    assertThat(writer.count()).isZero();
  }

  @Test
  void everyCutIsRefused() {
    byte[] batch = sample();
    for (int length = 0; length < batch.length; length++) {
      int cut = length;
      assertThatThrownBy(() -> walk(Arrays.copyOf(batch, cut)))
          .as("cut to %d", cut)
          .isExactlyInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> walk(Arrays.copyOf(batch, batch.length + 1)))
        .isExactlyInstanceOf(IOException.class)
        .hasMessageContaining("1 bytes after its last record at offset " + batch.length);
  }

  @Test
  void everyFlipIsReadOrRefused() {
    byte[] batch = sample();
    for (int bit = 0; bit < batch.length * 8; bit++) {
      byte[] flipped = batch.clone();
      flipped[bit / 8] ^= (byte) (1 << (bit % 8));
      try {
        walk(flipped);
      } catch (IOException e) {
        assertThat(e).hasMessageContaining("batch");
      }
    }
  }

  @Test
  void refusalNamesTheOffset() {
    byte[] batch = sample();
    batch[BatchRecord.HEADER_BYTES] = 0x0F;
    assertThatThrownBy(() -> walk(batch))
        .hasMessage("batch has a record of unknown kind 0xf at offset 12");
  }

  @Test
  void failedReaderIsAtItsEnd() throws IOException {
    byte[] batch = sample();
    batch[BatchRecord.HEADER_BYTES] = 0x0F;
    BatchReader reader = new BatchReader();
    reader.open(batch, 0, batch.length);
    assertThatThrownBy(reader::next).isInstanceOf(IOException.class);
    assertThat(reader.next()).isFalse();
  }

  private static byte[] sample() {
    BatchWriter writer = new BatchWriter();
    SplittableRandom random = new SplittableRandom(11);
    writer.add(1, PUT, bytes("some key"), bytes("some value"));
    writer.add(1, RANGE, bytes("a"), bytes("b"));
    writer.addExpiring(1, PUT | KeyKind.EXPIRES, 99, bytes("e"), bytes("value"));
    writer.add(1, DELETE, bytes("d"), Bytes.EMPTY);
    for (int i = 0; i < 20; i++) {
      Written one = randomRecord(random);
      if (one.key.length < 50) {
        writer.add(one.treeId, one.kind, one.key, one.value);
      }
    }
    writer.seal(77);
    return Bytes.copy(writer.array(), 0, writer.bytes());
  }

  /** Reads all bytes that the reader shows. */
  private static void walk(byte[] batch) throws IOException {
    BatchReader reader = new BatchReader();
    reader.open(batch, 0, batch.length);
    while (reader.next()) {
      Bytes.copy(batch, reader.keyOffset(), reader.keyLength());
      Bytes.copy(batch, reader.valueOffset(), reader.valueLength());
      if (KeyKind.isSeparated(reader.kind())) {
        BlobReference.read(
            batch, reader.valueOffset() + reader.valueLength() - BlobReference.BYTES);
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
