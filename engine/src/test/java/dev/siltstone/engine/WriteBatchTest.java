package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

// Goal: a batch is written once, can be used again after clear(), and can be tried again if it was
// not written.
// Method: a store in memory.
final class WriteBatchTest {
  private static final Path STORE = Path.of("/store");

  private final SimFileSystem disk = new SimFileSystem();
  private final FaultFileSystem faults = new FaultFileSystem(disk);
  private final Components components = Components.DEFAULT.withFileSystem(faults);

  @Test
  void aBatchThatWasWrittenTakesNothingUntilItIsCleared() {
    try (Db db = open()) {
      WriteBatch batch = db.newBatch().put(bytes("a"), bytes("1"));
      db.write(batch);
      db.put(bytes("a"), bytes("2"));
      requireRefused(() -> db.write(batch));
      requireRefused(() -> db.write(batch, WriteOptions.SYNC));
      requireRefused(() -> batch.put(bytes("b"), bytes("1")));
      requireRefused(() -> batch.delete(bytes("b")));
      requireRefused(() -> batch.deleteRange(db.tree(), KeyRange.ALL));
      requireRefused(() -> batch.deleteSubtree(db.tree(), bytes("b")));
      requireRefused(() -> batch.putSubtree(db.tree(), bytes("b"), bytes("1")));
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("2"));
      assertThat(batch.count()).isEqualTo(1);

      batch.clear();
      db.write(batch.put(bytes("b"), bytes("3")));
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("2"));
      assertThat(db.get(bytes("b"))).isEqualTo(bytes("3"));
    }
  }

  @Test
  void aBatchWithoutWritesIsNeverUsedUp() {
    try (Db db = open()) {
      WriteBatch batch = db.newBatch();
      db.write(batch);
      db.write(batch);
      db.write(batch.put(bytes("a"), bytes("1")));
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
    }
  }

  @Test
  void aBatchThatCouldNotBeWrittenMayBeTriedAgain() {
    byte[] large = new byte[Options.DEFAULT.separateValueBytes()];
    try (Db db = open()) {
      WriteBatch batch = db.newBatch().put(bytes("large"), large).put(bytes("a"), bytes("1"));
      faults.add(
          Fault.on(DiskOperation.CREATE)
              .name(".*\\.blob")
              .failing(() -> new NoSpaceException("no space")));
      assertThatThrownBy(() -> db.write(batch)).isInstanceOf(DbException.Unavailable.class);
      faults.clear();
      db.write(batch);
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
      assertThat(db.get(bytes("large"))).isEqualTo(large);
      requireRefused(() -> db.write(batch));
    }
  }

  private static void requireRefused(ThrowingCallable use) {
    assertThatThrownBy(use)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("was written already")
        .hasMessageContaining("clear()");
  }

  private Db open() {
    return Db.open(STORE, Options.DEFAULT, components);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
