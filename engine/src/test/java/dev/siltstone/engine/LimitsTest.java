package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.compaction.CompactionSettings;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

// Goal: what lies at a limit works on every road; what lies beyond it is refused by a message that
// names it, before anything has changed.
// Method: a store in memory, at and beyond each limit. What takes hundreds of MiB to write is in
// `bench memory`.
final class LimitsTest {
  private static final Path STORE = Path.of("/store");
  private static final int KEY_MAX = 65_536;

  private final SimFileSystem disk = new SimFileSystem();

  @Test
  void keysOfEveryLengthUpToTheLongestWork() {
    int[] lengths = {0, 1, 127, 128, 16_383, 16_384, 65_535, KEY_MAX};
    try (Db db = open()) {
      for (int length : lengths) {
        db.put(key(length), key(length));
      }
      requireKeys(db, lengths);
      db.flush();
      requireKeys(db, lengths);
      db.compact(KeyRange.ALL);
      requireKeys(db, lengths);
    }
    try (Db db = open()) {
      db.put(key(KEY_MAX), key(3));
      assertThat(db.get(key(KEY_MAX))).isEqualTo(key(3));
      db.delete(key(KEY_MAX));
      assertThat(db.get(key(KEY_MAX))).isNull();
    }
    try (Db db = open()) {
      assertThat(db.get(key(KEY_MAX))).isNull();
      db.put(key(KEY_MAX), key(KEY_MAX));
      requireKeys(db, lengths);
    }
  }

  private static void requireKeys(Db db, int[] lengths) {
    for (int length : lengths) {
      assertThat(db.get(key(length))).isEqualTo(key(length));
    }
    try (Cursor cursor = db.cursor()) {
      for (int length : lengths) {
        assertThat(cursor.seek(key(length))).isTrue();
        assertThat(cursor.key()).hasSize(length);
        assertThat(cursor.value()).hasSize(length);
      }
      assertThat(cursor.next()).isFalse();
    }
  }

  @Test
  void aKeyBeyondTheLimitIsRefusedWhenWrittenAndAbsentWhenRead() {
    try (Db db = open()) {
      byte[] tooLong = key(KEY_MAX + 1);
      db.put(key(KEY_MAX), key(1));
      refuses("key of 65537 bytes: at most 65536", () -> db.put(tooLong, key(1)));
      refuses("key of 65537 bytes: at most 65536", () -> db.delete(tooLong));
      refuses("key of 65537 bytes: at most 65536", () -> db.tree().putSubtree(tooLong, key(1)));
      assertThat(db.get(tooLong)).isNull();
      try (Cursor cursor = db.cursor()) {
        assertThat(cursor.seek(tooLong)).isFalse();
        assertThat(cursor.seekForPrev(tooLong)).isTrue();
        assertThat(cursor.key()).hasSize(KEY_MAX);
      }
      db.flush();
      assertThat(db.get(tooLong)).isNull();
      assertThat(db.stats().records()).isEqualTo(1);
    }
  }

  @Test
  void aBoundOfARangeDeleteMayBeTheSuccessorOfTheLongestKey() {
    try (Db db = open()) {
      byte[] longest = key(KEY_MAX);
      byte[] after = Bytes.successor(longest);
      db.put(longest, key(1));
      db.deleteRange(KeyRange.of(after, Bytes.prefixEnd(longest)));
      assertThat(db.get(longest)).isNotNull();
      db.deleteRange(KeyRange.of(longest, after));
      assertThat(db.get(longest)).isNull();
      byte[] tooLong = Bytes.successor(after);
      refuses(
          "bound of 65538 bytes: at most 65537",
          () -> db.deleteRange(KeyRange.of(longest, tooLong)));
      refuses(
          "bound of 65538 bytes: at most 65537", () -> db.deleteRange(new KeyRange(tooLong, null)));
    }
  }

  @Test
  void aRangeDeleteToTheEndIsSmallEverywhere() throws Exception {
    byte[] last = new byte[KEY_MAX];
    Arrays.fill(last, (byte) 0xFF);
    try (Db db = open()) {
      db.put(key(1), key(1));
      db.put(last, key(1));
      db.flush();
      long before = db.stats().memtableBytes();
      for (int i = 0; i < 100; i++) {
        WriteBatch batch = db.newBatch();
        batch.deleteRange(db.tree(), new KeyRange(key(2), null));
        assertThat(batch.bytes()).isLessThan(40);
        db.write(batch);
      }
      assertThat(db.stats().memtableBytes() - before).isLessThan(64 << 10);
      assertThat(db.get(last)).isNull();
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(1);
    }
    try (Db db = open()) {
      assertThat(db.get(last)).isNull();
      long manifest = manifestBytes();
      long tables = db.tree().stats().levels().getFirst().bytes();
      db.flush();
      assertThat(db.get(last)).isNull();
      assertThat(manifestBytes() - manifest).isLessThan(1 << 10);
      assertThat(db.tree().stats().levels().getFirst().bytes() - tables).isLessThan(4 << 10);
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(1);
      db.compact(KeyRange.ALL);
      assertThat(db.get(last)).isNull();
      assertThat(db.get(key(1))).isNotNull();
    }
  }

  @Test
  void aSubtreeOfTheLongestKeyAfterAllOthersIsDeleted() {
    try (Db db = open()) {
      byte[] last = new byte[KEY_MAX];
      Arrays.fill(last, (byte) 0xFF);
      db.put(last, key(1));
      db.flush();
      db.tree().deleteSubtree(last);
      assertThat(db.get(last)).isNull();
      db.compact(KeyRange.ALL);
      assertThat(db.get(last)).isNull();
    }
  }

  @Test
  void aValueBeyondTheLimitIsRefused() {
    assertThatCode(() -> WriteBatch.checkValueBytes(1 << 30)).doesNotThrowAnyException();
    refuses(
        "value of 1073741825 bytes: at most 1073741824",
        () -> WriteBatch.checkValueBytes((1 << 30) + 1));
  }

  @Test
  void aBatchBeyondTheLimitIsRefusedAndKeepsWhatItHad() {
    try (Db db = open()) {
      WriteBatch batch = db.newBatch();
      byte[] value = new byte[255 << 10];
      int count = 0;
      while (batch.bytes() + value.length + 100 <= WriteBatch.BATCH_BYTES_MAX) {
        batch.put(new byte[] {(byte) (count >> 8), (byte) count}, value);
        count++;
      }
      int bytes = batch.bytes();
      refuses("at most 268435456; write it in parts", () -> batch.put(new byte[] {1, 2, 3}, value));
      assertThat(batch.count()).isEqualTo(count);
      assertThat(batch.bytes()).isEqualTo(bytes);
      int half = (WriteBatch.BATCH_BYTES_MAX - bytes) / 2;
      refuses(
          "write it in parts",
          () -> batch.putSubtree(db.tree(), new byte[Math.min(half, 60_000)], value));
      assertThat(batch.bytes()).isEqualTo(bytes);
      // As close to the limit as a record can come.
      int left = WriteBatch.BATCH_BYTES_MAX - bytes;
      batch.put(new byte[] {1, 2, 3}, new byte[left - 3 - 32]);
      assertThat(batch.bytes()).isGreaterThan(WriteBatch.BATCH_BYTES_MAX - 32);
      batch.clear();
      batch.put(key(1), key(1));
      db.write(batch);
      assertThat(db.get(key(1))).isEqualTo(key(1));
    }
  }

  @Test
  void oneTreeMayHaveTensOfThousandsOfSeparateValues() {
    int count = 20_000;
    Options options = Options.builder().separateValueBytes(1024).build();
    try (Db db = open(options)) {
      for (int at = 0; at < count; at += 1000) {
        WriteBatch batch = db.newBatch();
        for (int i = at; i < at + 1000; i++) {
          batch.put(number(i), blob(i));
        }
        db.write(batch);
      }
      db.compact(KeyRange.ALL);
    }
    try (Db db = open(options)) {
      for (int i = 0; i < count; i += 100) {
        assertThat(db.get(number(i))).isEqualTo(blob(i));
      }
      db.deleteRange(KeyRange.of(number(0), number(count - 1)));
      db.compact(KeyRange.ALL);
      db.awaitQuiet();
      assertThat(db.get(number(count - 1))).isEqualTo(blob(count - 1));
      assertThat(db.tree().count(KeyRange.ALL)).isEqualTo(1);
    }
  }

  @Test
  void durationsOfAnyLengthAreCheckedAgainstTheirLimits() {
    Options.Builder builder = Options.builder();
    Duration longest = Duration.ofSeconds(Long.MAX_VALUE);
    for (Duration wrong : List.of(longest, longest.negated(), Duration.ofHours(1).plusNanos(1))) {
      refuses("syncInterval " + wrong + ": PT0.001S to PT1H", () -> builder.syncInterval(wrong));
    }
    for (Duration wrong : List.of(longest, longest.negated(), Duration.ofNanos(-1))) {
      refuses(
          "retention " + wrong + ": PT0S to PT876000H",
          () -> TreeOptions.DEFAULT.withRetention(wrong));
    }
    // So much history is kept that whatever runs in the background takes none away.
    TreeOptions keeping = TreeOptions.DEFAULT.withRetention(Duration.ofDays(36_500));
    try (Db db = open(Options.builder().defaultTree(keeping).build())) {
      for (Duration wrong : List.of(longest, longest.negated(), Duration.ZERO)) {
        refuses(
            "timeToLive " + wrong + ": PT0.000000001S to PT876000H",
            () -> db.tree().put(key(1), key(1), wrong));
      }
      assertThat(db.get(key(1))).isNull();
      db.tree().put(key(1), key(1), Duration.ofDays(36_500));
      assertThat(db.get(key(1))).isNotNull();
      db.asOf(Instant.MIN).close();
      db.asOf(Instant.MAX).close();
    }
    open(builder.syncInterval(Duration.ofHours(1)).build()).close();
    open(builder.syncInterval(Duration.ofMillis(1)).build()).close();
  }

  @Test
  void defaultsOfLevelsAreThoseThatAreDocumented() {
    CompactionSettings settings = CompactionSettings.DEFAULT;
    assertThat(Options.DEFAULT.levelFanout()).isEqualTo(settings.fanOut()).isEqualTo(10);
    assertThat(Options.DEFAULT.tableBytes()).isEqualTo(settings.fileBytes()).isEqualTo(64 << 20);
    assertThat(Options.DEFAULT.levelBaseBytes())
        .isEqualTo(settings.baseBytes())
        .isEqualTo(256 << 20);
  }

  private static byte[] number(int i) {
    byte[] key = new byte[4];
    Fixed.putInt(key, 0, Integer.reverseBytes(i));
    return key;
  }

  private static byte[] blob(int i) {
    byte[] value = new byte[1024];
    Fixed.putInt(value, 0, i);
    return value;
  }

  private static byte[] key(int length) {
    byte[] key = new byte[length];
    Arrays.fill(key, (byte) 'k');
    return key;
  }

  private long manifestBytes() throws IOException {
    long bytes = 0;
    for (String name : disk.list(STORE)) {
      bytes += name.startsWith("MANIFEST") ? disk.size(STORE.resolve(name)) : 0;
    }
    return bytes;
  }

  private static void refuses(String message, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }

  private Db open() {
    return open(Options.DEFAULT);
  }

  private Db open(Options options) {
    return Db.open(STORE, options, Components.DEFAULT.withFileSystem(disk));
  }
}
