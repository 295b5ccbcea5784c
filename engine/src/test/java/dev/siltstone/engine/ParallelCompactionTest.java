package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Goal: a compaction that somebody waits for is done by two threads, comes to what it should, and
 * fails whole. Method: files that overlap, with a range delete and overwrites across all of them; a
 * compressor that does not go on until two threads have come, and one that fails on the second.
 */
final class ParallelCompactionTest {
  private static final int KEYS = 4_000;
  private static final int FILES = 5;
  private static final int GONE_FROM = 1_000;
  private static final int GONE_TO = 3_000;

  @TempDir Path directory;

  @Test
  void twoThreadsShareAManualCompaction() {
    Meeting compressor = new Meeting(false);
    try (Db db = open(compressor)) {
      fill(db);
      db.compact(KeyRange.ALL);
      check(db);
      List<TreeStats.LevelStats> levels = db.tree().stats().levels();
      assertThat(levels.getFirst().files()).isZero();
      assertThat(levels.getLast().entries()).isEqualTo(KEYS - (GONE_TO - GONE_FROM));
      assertThat(db.verify(VerifyOptions.DEFAULT).isSound()).isTrue();
    }
    assertThat(compressor.threads).hasSize(2);
    try (Db db = open(new Meeting(false))) {
      check(db);
    }
  }

  @Test
  void whatOneThreadMeetsFailsTheWholeCompaction() {
    Meeting compressor = new Meeting(true);
    try (Db db = open(compressor)) {
      fill(db);
      assertThatThrownBy(() -> db.compact(KeyRange.ALL))
          .isInstanceOf(DbException.class)
          .hasStackTraceContaining("planted");
      assertThat(db.tree().stats().levels().getFirst().files()).isEqualTo(FILES);
      check(db);
    }
  }

  private Db open(Compressor compressor) {
    Options options =
        Options.builder()
            .automaticCompaction(false)
            .compactionThreads(1)
            .tableBytes(1 << 20)
            .defaultTree(TreeOptions.DEFAULT.withCompression("meeting"))
            .build();
    return Db.open(directory, options, Components.DEFAULT.withCompressors(List.of(compressor)));
  }

  private static void fill(Db db) {
    for (int file = 0; file < FILES; file++) {
      for (int i = file == FILES - 1 ? KEYS - 1 : 0; i < KEYS; i++) {
        db.put(key(i), value(i, file));
      }
      if (file == FILES - 2) {
        db.tree().deleteRange(KeyRange.of(key(GONE_FROM), key(GONE_TO)));
      }
      db.flush();
    }
  }

  private static void check(Db db) {
    for (int i = 0; i < KEYS; i++) {
      boolean gone = i >= GONE_FROM && i < GONE_TO;
      byte[] expected = value(i, i == KEYS - 1 ? FILES - 1 : FILES - 2);
      assertThat(db.get(key(i))).isEqualTo(gone ? null : expected);
    }
  }

  private static byte[] key(int number) {
    return new byte[] {(byte) (number >>> 8), (byte) number};
  }

  private static byte[] value(int number, int file) {
    byte[] value = new byte[100];
    Fixed.putInt(value, 0, number);
    Fixed.putInt(value, 4, file);
    return value;
  }

  /** LZ4 that waits until two threads compress, and may fail for the second. */
  private static final class Meeting implements Compressor {
    private static final int MINUTES_MAX = 5;

    private final Lz4 lz4 = new Lz4();
    private final CountDownLatch two = new CountDownLatch(2);
    private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
    private final boolean fails;

    Meeting(boolean fails) {
      this.fails = fails;
    }

    @Override
    public int id() {
      return 200;
    }

    @Override
    public String name() {
      return "meeting";
    }

    @Override
    public int compressedBytesMax(int length) {
      return lz4.compressedBytesMax(length);
    }

    @Override
    public int compress(byte[] source, int offset, int length, byte[] target, int targetOffset) {
      if (threads.add(Thread.currentThread())) {
        meet();
      }
      return lz4.compress(source, offset, length, target, targetOffset);
    }

    private void meet() {
      two.countDown();
      boolean second = two.getCount() == 0;
      try {
        if (!two.await(MINUTES_MAX, TimeUnit.MINUTES)) {
          throw new IllegalStateException("one thread only");
        }
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
      if (fails && second) {
        throw new IllegalStateException("planted");
      }
    }

    @Override
    public void decompress(
        byte[] source, int offset, int length, byte[] target, int targetOffset, int targetLength)
        throws IOException {
      lz4.decompress(source, offset, length, target, targetOffset, targetLength);
    }
  }
}
