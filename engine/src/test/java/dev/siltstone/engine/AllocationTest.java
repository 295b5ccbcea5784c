package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.siltstone.base.bytes.Fixed;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: nothing is allocated per entry by a get into the caller's memory and by the steps of a
// cursor, from memtables and from tables, compiled or not; and a write allocates what it stores and
// little beside it: 24 bytes of the clock (2026-12). Chunks of the memtables are so large that a
// round may have one more or less.
// Method: bytes allocated by this thread over many operations, the least of some rounds, since the
// first ones link and load.
final class AllocationTest {
  private static final int ENTRIES = 4_000;
  private static final int ROUNDS = 40;
  private static final int VALUE_BYTES = 100;

  /** What a record of {@link #VALUE_BYTES} takes in a memtable, about. */
  private static final int STORED_BYTES = 160;

  private static final int WRITE_BYTES_MAX = 60;

  private final byte[][] keys = new byte[ENTRIES][8];
  private final byte[] value = new byte[VALUE_BYTES];
  private final Db db;

  AllocationTest(@TempDir Path directory) {
    db = Db.open(directory, Options.builder().automaticCompaction(false).build());
    for (int i = 0; i < ENTRIES; i++) {
      Fixed.putLong(keys[i], 0, Long.reverseBytes(i));
    }
  }

  @AfterEach
  void close() {
    db.close();
  }

  private void fill() {
    for (byte[] key : keys) {
      db.put(key, value);
    }
  }

  /** Entries in the last level, in two files of level 0 and in the memtable. */
  private void layers() {
    fill();
    db.compact(KeyRange.ALL);
    for (int layer = 0; layer < 3; layer++) {
      for (int i = layer; i < ENTRIES; i += 5) {
        db.put(keys[i], value);
      }
      if (layer < 2) {
        db.flush();
      }
    }
  }

  private static double leastAllocated(Runnable work) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < ROUNDS; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      work.run();
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    return (double) least / ENTRIES;
  }

  @Test
  void aGetIntoMemoryOfTheCallerAllocatesNothing() {
    layers();
    Tree tree = db.tree();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment target = arena.allocate(VALUE_BYTES);
      byte[] absent = {1, 2, 3};
      Runnable work =
          () -> {
            for (byte[] key : keys) {
              if (tree.getInto(key, target) != VALUE_BYTES || tree.getInto(absent, target) != -1) {
                throw new AssertionError("a wrong answer");
              }
            }
          };
      assertThat(leastAllocated(work)).isLessThan(1);
    }
  }

  @Test
  void stepsOfACursorAllocateNothing() {
    layers();
    try (Cursor cursor = db.cursor()) {
      Runnable forward =
          () -> {
            int count = 0;
            for (boolean more = cursor.first(); more; more = cursor.next()) {
              count++;
            }
            assertThat(count).isEqualTo(ENTRIES);
          };
      Runnable backward =
          () -> {
            int count = 0;
            for (boolean more = cursor.last(); more; more = cursor.prev()) {
              count++;
            }
            assertThat(count).isEqualTo(ENTRIES);
          };
      assertThat(leastAllocated(forward)).as("forward").isLessThan(1);
      assertThat(leastAllocated(backward)).as("backward").isLessThan(1);
    }
  }

  @Test
  void writesAllocateLittleBesideWhatTheyStore() {
    assertThat(leastAllocated(this::fill)).as("put").isLessThan(STORED_BYTES + WRITE_BYTES_MAX);
    WriteBatch batch = db.newBatch();
    Runnable again =
        () -> {
          for (byte[] key : keys) {
            batch.clear();
            db.write(batch.put(key, value));
          }
        };
    assertThat(leastAllocated(again)).as("again").isLessThan(STORED_BYTES + WRITE_BYTES_MAX);
    Runnable hundreds =
        () -> {
          for (int i = 0; i < ENTRIES; i++) {
            batch.put(keys[i], value);
            if (i % 100 == 99) {
              db.write(batch);
              batch.clear();
            }
          }
        };
    batch.clear();
    assertThat(leastAllocated(hundreds)).as("hundreds").isLessThan(STORED_BYTES + 10);
    Runnable deletes =
        () -> {
          for (byte[] key : keys) {
            db.delete(key);
          }
        };
    assertThat(leastAllocated(deletes)).as("delete").isLessThan(STORED_BYTES + WRITE_BYTES_MAX);
  }

  @Test
  void aValueThatDoesNotFitIsNotCopied() {
    byte[] key = {1};
    db.put(key, new byte[] {7, 8});
    MemorySegment target = MemorySegment.ofArray(new byte[3]);
    assertThat(db.tree().getInto(key, target.asSlice(0, 1))).isEqualTo(2);
    assertThat(target.get(ValueLayout.JAVA_BYTE, 0)).isZero();
    assertThat(db.tree().getInto(key, target)).isEqualTo(2);
    assertThat(target.toArray(ValueLayout.JAVA_BYTE)).containsExactly(7, 8, 0);
    assertThat(db.tree().getInto(new byte[] {2}, target)).isEqualTo(-1);
    assertThatThrownBy(() -> db.tree().getInto(key, target.asReadOnly()))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
