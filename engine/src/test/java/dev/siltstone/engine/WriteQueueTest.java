package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Goal: the place of a batch in the queue, which is used again and again, tells of the present
// write
// alone, and stands in the queue once. Method: a queue whose groups are committed by the test.
final class WriteQueueTest {
  private final SimClock clock = new SimClock();
  private final SimScheduler scheduler = new SimScheduler(clock, new SplittableRandom(1));
  private final Db db =
      Db.open(
          Path.of("/store"),
          Options.DEFAULT,
          Components.DEFAULT
              .withFileSystem(new SimFileSystem())
              .withClock(clock)
              .withScheduler(scheduler));
  private final WriteBatch batch = db.newBatch();
  private final List<String> seen = new ArrayList<>();
  private Runnable inGroup = () -> {};

  private final WriteQueue queue =
      new WriteQueue(
          scheduler,
          group -> {
            inGroup.run();
            seen.add(group.size() + (group.getFirst().isSync() ? " sync" : ""));
          });

  @AfterEach
  void close() {
    db.close();
  }

  @Test
  void aBatchWhoseWriteFailedMayBeWrittenAgain() {
    DbException failure = new DbException.Unavailable("planted", new IOException());
    WriteQueue failing = new WriteQueue(scheduler, group -> group.getFirst().fail(failure));
    assertThatThrownBy(() -> failing.commit(batch, true)).isSameAs(failure);
    assertThatThrownBy(() -> failing.commit(batch, true)).isSameAs(failure);
    queue.commit(batch, false);
    queue.commit(batch, true);
    assertThat(seen).containsExactly("1", "1 sync");
  }

  @Test
  void aBatchThatIsBeingWrittenIsRefused() {
    inGroup =
        () ->
            assertThatThrownBy(() -> queue.commit(batch, false))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("being written");
    queue.commit(batch, false);
    inGroup = () -> {};
    queue.commit(batch, false);
    assertThat(seen).containsExactly("1", "1");
  }

  @Test
  void whatThrowsLeavesTheQueueUsable() {
    inGroup =
        () -> {
          throw new AssertionError("planted");
        };
    assertThatThrownBy(() -> queue.commit(batch, false)).hasMessage("planted");
    assertThatThrownBy(
            () ->
                queue.exclusively(
                    () -> {
                      throw new IllegalStateException("a task's own");
                    }))
        .hasMessage("a task's own");
    inGroup = () -> {};
    queue.commit(batch, false);
    assertThat(seen).containsExactly("1");
  }

  @Test
  void singleWritesLeaveNothingOfThemselvesBehind() {
    db.put(new byte[] {1}, new byte[100_000]);
    assertThatThrownBy(() -> db.put(new byte[WriteBatch.KEY_BYTES_MAX + 1], new byte[1]))
        .isInstanceOf(IllegalArgumentException.class);
    db.put(new byte[] {2}, new byte[2]);
    db.delete(new byte[] {1});
    db.delete(new byte[] {3});
    assertThat(db.get(new byte[] {1})).isNull();
    assertThat(db.get(new byte[] {2})).hasSize(2);
    assertThat(db.stats().records()).isEqualTo(4);
  }
}
