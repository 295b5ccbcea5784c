package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

// Goal: getAll answers as so many gets at one moment do, in the caller's order, and visits each
// block once.
// Method: small cases of every source; counted reads. Random histories: StoreScript asks it for all
// keys beside get.
final class GetAllTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final int KEYS = 12_000;
  private static final int VALUE_BYTES = 900;
  private static final int ENTRIES_OF_A_BLOCK = (16 << 10) / 960;
  private static final int APART_BYTES = 1 << 10;

  private final FaultFileSystem disk = new FaultFileSystem(new SimFileSystem());

  @Test
  void answersInTheOrderOfTheCallerFromAllSources() {
    try (Db db = open()) {
      db.put(bytes("deep"), bytes("1"));
      db.put(bytes("hidden"), bytes("1"));
      db.put(bytes("ranged"), bytes("1"));
      db.put(bytes("twice"), bytes("1"));
      db.compact(KeyRange.ALL);
      db.put(bytes("middle"), bytes("2"));
      db.put(bytes("twice"), bytes("2"));
      db.delete(bytes("hidden"));
      db.tree().deleteRange(KeyRange.of(bytes("r"), bytes("s")));
      db.flush();
      db.put(bytes("new"), bytes("3"));
      assertThat(text(db.getAll(keys("twice", "none", "new", "deep", "twice", "", "middle"))))
          .containsExactly("2", null, "3", "1", "2", null, "2");
      assertThat(text(db.getAll(keys("hidden", "ranged")))).containsExactly(null, null);
      assertThat(db.getAll(List.of())).isEmpty();
    }
  }

  @Test
  void equalKeysGetArraysOfTheirOwn() {
    try (Db db = open()) {
      db.put(bytes("a"), bytes("1"));
      byte[] @Nullable [] values = db.getAll(keys("a", "a"));
      assertThat(values[0]).isNotSameAs(values[1]).isEqualTo(values[1]);
    }
  }

  @Test
  @SuppressWarnings("NullAway") // What is asked for.
  void aKeyThatIsNullIsNamedByItsPlace() {
    try (Db db = open()) {
      List<byte[]> keys = keys("a", "b");
      keys.set(1, null);
      assertThatThrownBy(() -> db.getAll(keys))
          .isInstanceOf(NullPointerException.class)
          .hasMessage("keys, at place 1");
    }
  }

  @Test
  void readsASnapshotAndValuesStoredApart() {
    try (Db db = open()) {
      byte[] large = new byte[2 * APART_BYTES];
      large[7] = 7;
      db.put(bytes("large"), large);
      db.put(bytes("small"), bytes("1"));
      try (Snapshot before = db.snapshot()) {
        db.delete(bytes("large"));
        db.put(bytes("small"), bytes("2"));
        db.compact(KeyRange.ALL);
        byte[] @Nullable [] old = db.tree().getAll(keys("small", "large"), before);
        assertThat(old[0]).isEqualTo(bytes("1"));
        assertThat(old[1]).isEqualTo(large);
      }
      assertThat(text(db.getAll(keys("small", "large")))).containsExactly("2", null);
    }
  }

  @Test
  void readsEachBlockOnceThoughTheCacheIsTooSmallForAll() {
    List<byte[]> keys = new ArrayList<>();
    try (Db db = open()) {
      for (int i = 0; i < KEYS; i++) {
        keys.add(bytes("key%08d".formatted(i)));
        db.put(keys.get(i), new byte[VALUE_BYTES]);
      }
      db.flush();
    }
    Collections.shuffle(keys, new Random(1));
    Options small = Options.builder().memoryBytes(4 << 20).build();
    try (Db db = Db.open(DIRECTORY, small, components())) {
      db.getAll(keys.subList(0, 1));
      long before = disk.count(DiskOperation.READ);
      byte[] @Nullable [] values = db.getAll(keys);
      assertThat(disk.count(DiskOperation.READ) - before)
          .isBetween(1L, KEYS / ENTRIES_OF_A_BLOCK + 10L);
      assertThat(Arrays.asList(values)).hasSize(KEYS).doesNotContainNull();
    }
  }

  @Test
  void anErrorLeavesAsItselfAndTheNextCallSucceeds() {
    try (Db db = open()) {
      db.put(bytes("a"), new byte[2 * APART_BYTES]);
      db.put(bytes("b"), bytes("1"));
      db.flush();
    }
    Db db = open();
    disk.add(Fault.on(DiskOperation.READ));
    assertThatThrownBy(() -> db.getAll(keys("a", "b")))
        .isInstanceOf(DbException.Unavailable.class)
        .hasMessageContaining("tree 'default'");
    disk.clear();
    assertThat(Arrays.asList(db.getAll(keys("b", "a")))).doesNotContainNull();
    db.compact(KeyRange.ALL);
    db.close();
    assertThatThrownBy(() -> db.getAll(keys("a"))).isInstanceOf(DbException.Closed.class);
  }

  private Db open() {
    Options options =
        Options.builder().automaticCompaction(false).separateValueBytes(APART_BYTES).build();
    return Db.open(DIRECTORY, options, components());
  }

  private Components components() {
    return Components.DEFAULT.withFileSystem(disk);
  }

  private static List<byte[]> keys(String... texts) {
    List<byte[]> keys = new ArrayList<>();
    for (String text : texts) {
      keys.add(bytes(text));
    }
    return keys;
  }

  private static List<@Nullable String> text(byte[] @Nullable [] values) {
    List<@Nullable String> texts = new ArrayList<>();
    for (byte[] value : values) {
      texts.add(value == null ? null : new String(value, StandardCharsets.US_ASCII));
    }
    return texts;
  }

  private static byte[] bytes(String text) {
    return text.isEmpty() ? Bytes.EMPTY : text.getBytes(StandardCharsets.US_ASCII);
  }
}
