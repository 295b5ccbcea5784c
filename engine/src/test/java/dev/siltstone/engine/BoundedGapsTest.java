package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

// Goal: a cursor with bounds leaves no gap behind over keys of files that it had no need to open.
// Method: files of level 0 beside each other, dead keys in one of them, cursors over its range
// only, then a cursor over all.
final class BoundedGapsTest {
  private static final int KEYS = 200;

  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void forwardNothingAfterTheUpperBoundIsForgotten() {
    try (Db db = open()) {
      flushLive(db, "c");
      flushDead(db, "b");
      try (Cursor cursor = db.cursor(KeyRange.of(bytes("b"), bytes("bz")))) {
        assertThat(cursor.first()).isFalse();
      }
      assertThat(count(db)).isEqualTo(KEYS);
    }
  }

  @Test
  void forwardNothingBetweenTheUpperBoundAndADeeperLevelIsForgotten() {
    try (Db db = open()) {
      flushLive(db, "d");
      db.compact(KeyRange.ALL);
      flushLive(db, "c");
      flushDead(db, "b");
      try (Cursor cursor = db.cursor(KeyRange.of(bytes("b"), bytes("bz")))) {
        assertThat(cursor.first()).isFalse();
      }
      assertThat(count(db)).isEqualTo(2 * KEYS);
    }
  }

  @Test
  void backwardNothingBeforeTheLowerBoundIsForgotten() {
    try (Db db = open()) {
      flushLive(db, "a");
      flushDead(db, "b");
      try (Cursor cursor = db.cursor(KeyRange.of(bytes("b"), bytes("bz")))) {
        assertThat(cursor.last()).isFalse();
      }
      assertThat(count(db)).isEqualTo(KEYS);
    }
  }

  @Test
  void backwardNothingBetweenTheLowerBoundAndADeeperLevelIsForgotten() {
    try (Db db = open()) {
      flushLive(db, "0");
      db.compact(KeyRange.ALL);
      flushLive(db, "a");
      flushDead(db, "b");
      try (Cursor cursor = db.cursor(KeyRange.of(bytes("b"), bytes("bz")))) {
        assertThat(cursor.last()).isFalse();
      }
      assertThat(count(db)).isEqualTo(2 * KEYS);
    }
  }

  /** A cursor that learns nothing of a memtable that was empty when it was opened. */
  @Test
  void whatIsPutAfterTheCursorWasOpenedIsInNoGap() {
    try (Db db = open()) {
      flushDead(db, "b");
      try (Cursor cursor = db.cursor()) {
        db.put(bytes("b00150"), bytes("x"));
        assertThat(cursor.first()).isFalse();
        assertThat(cursor.last()).isFalse();
      }
      assertThat(count(db)).isEqualTo(1);
    }
  }

  private static void flushLive(Db db, String prefix) {
    for (int i = 0; i < KEYS; i++) {
      db.put(bytes("%s%05d".formatted(prefix, i)), bytes("x"));
    }
    db.flush();
  }

  private static void flushDead(Db db, String prefix) {
    flushLive(db, prefix);
    for (int i = 0; i < KEYS; i++) {
      db.delete(bytes("%s%05d".formatted(prefix, i)));
    }
    db.flush();
  }

  /** Counts by a cursor that begins within the dead keys, on either side. */
  private static int count(Db db) {
    int forward = 0;
    int backward = 0;
    try (Cursor cursor = db.cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        forward++;
      }
      for (boolean more = cursor.last(); more; more = cursor.prev()) {
        backward++;
      }
    }
    assertThat(backward).isEqualTo(forward);
    return forward;
  }

  private Db open() {
    Options options = Options.builder().automaticCompaction(false).build();
    return Db.open(Path.of("/db"), options, Components.DEFAULT.withFileSystem(disk));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
