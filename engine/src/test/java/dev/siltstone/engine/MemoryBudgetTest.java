package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.memtable.MemTable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

// Goal: what is counted is what there is, whatever becomes of a memtable; and whether the largest
// should go depends on those that are being written alone.
// Method: memtables grown, sealed and forgotten by hand.
final class MemoryBudgetTest {
  private static final long BUDGET = 10 << 20;

  private final MemoryBudget budget = new MemoryBudget(BUDGET, new BlockCache(BUDGET));
  private long time;

  @Test
  void countsMemtablesFromTheirGrowthToTheirEnd() throws IOException {
    MemTable first = new MemTable(1, 1 << 20);
    MemTable second = new MemTable(2, 1 << 20);
    budget.note(first);
    budget.note(second);
    long empty = budget.memtableBytes();
    assertThat(empty).isEqualTo(first.bytes() + second.bytes());
    grow(first, 100 << 10);
    budget.note(first);
    assertThat(budget.memtableBytes()).isEqualTo(first.bytes() + second.bytes());
    grow(first, 100 << 10);
    budget.seal(first);
    assertThat(budget.memtableBytes()).isEqualTo(first.bytes() + second.bytes());
    budget.forget(first);
    assertThat(budget.memtableBytes()).isEqualTo(second.bytes());
    budget.forget(first);
    budget.forget(second);
    assertThat(budget.memtableBytes()).isZero();
  }

  @Test
  void sealedMemtablesMakeRoomForThoseThatAreWritten() throws IOException {
    List<MemTable> memtables = new ArrayList<>();
    while (!budget.isOverMemtableShare()) {
      MemTable memtable = new MemTable(memtables.size(), 1 << 20);
      grow(memtable, 500 << 10);
      budget.note(memtable);
      memtables.add(memtable);
    }
    assertThat(budget.memtableBytes()).isBetween(BUDGET / 5, BUDGET / 5 + (1 << 20));
    budget.seal(memtables.getFirst());
    assertThat(budget.isOverMemtableShare()).isFalse();
    assertThat(budget.memtableBytes()).isGreaterThan(BUDGET / 5);
  }

  private void grow(MemTable memtable, int bytes) throws IOException {
    BatchWriter writer = new BatchWriter();
    time++;
    writer.add(1, KeyKind.PUT, Long.toString(time).getBytes(UTF_8), new byte[bytes]);
    writer.seal(time);
    BatchReader reader = new BatchReader();
    reader.open(writer.array(), 0, writer.bytes());
    while (reader.next()) {
      memtable.add(reader);
    }
  }
}
