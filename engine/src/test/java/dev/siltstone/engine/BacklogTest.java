package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.memtable.MemTable;
import org.junit.jupiter.api.Test;

// Goal: what waits for the background and how fast it goes is what jobs have told, while they run
// and after. Method: jobs told by hand at times of the test's own.
final class BacklogTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long MEMORY = 100 << 20;

  private final MemoryBudget memory = new MemoryBudget(MEMORY, new BlockCache(MEMORY));
  private final Backlog backlog =
      new Backlog(memory, Options.builder().memoryBytes(MEMORY).memtableBytes(12 << 20).build());

  @Test
  void aFlushCountsAsItGoes() {
    MemTable memtable = new MemTable(1, 1 << 20);
    memory.seal(memtable);
    long bytes = memtable.bytes();
    backlog.set(1, 0, 0);
    assertThat(backlog.pressure(0).memory().waitingBytes()).isEqualTo(bytes);
    assertThat(backlog.pressure(0).memory().flushRate()).isZero();
    Backlog.Flush flush = backlog.flush(bytes, 10, 0);
    flush.at(5);
    StallPolicy.Memory half = backlog.pressure(SECOND).memory();
    assertThat(half.waitingBytes()).isEqualTo(bytes - bytes / 2);
    assertThat(half.bytes()).as("given back at its end").isEqualTo(bytes);
    assertThat(half.flushRate()).isEqualTo(bytes / 2);
    flush.written(bytes / 4);
    memory.forget(memtable);
    flush.close(2 * SECOND);
    StallPolicy.Memory none = backlog.pressure(100 * SECOND).memory();
    assertThat(none.waitingBytes()).isZero();
    assertThat(none.flushRate()).as("while nothing runs no time goes by").isEqualTo(bytes / 2.0);
    backlog.tookFromLevel0(1_000, SECOND);
    assertThat(backlog.pressure(0).tables().level0Rate())
        .as("in bytes of memtables")
        .isEqualTo(4_000);
  }

  @Test
  void aFlushThatFailsWaitsAgain() {
    MemTable memtable = new MemTable(1, 1 << 20);
    memory.seal(memtable);
    Backlog.Flush flush = backlog.flush(memtable.bytes(), 10, 0);
    flush.at(10);
    assertThat(backlog.pressure(0).memory().waitingBytes()).isZero();
    flush.close(SECOND);
    assertThat(backlog.pressure(0).memory().waitingBytes()).isEqualTo(memtable.bytes());
  }

  @Test
  void oneFlushTakesALikelyPartOfTheMemory() {
    long max = memory.memtableBytesMax();
    assertThat(backlog.flushBytes()).isEqualTo(12 << 20);
    assertThat(flushBytes(1 << 20)).isEqualTo(max / 4);
    assertThat(flushBytes(MEMORY / 2)).isEqualTo(max / 5 * 2);
  }

  private long flushBytes(long memtableBytes) {
    Options options = Options.builder().memoryBytes(MEMORY).memtableBytes(memtableBytes).build();
    return new Backlog(memory, options).flushBytes();
  }

  @Test
  void ratesForgetWhatIsLongAgo() {
    WorkRate rate = new WorkRate();
    rate.add(100, 10_000_000L);
    assertThat(rate.bytesPerSecond(0)).as("too little to say").isZero();
    for (int i = 0; i < 100; i++) {
      rate.add(1_000, SECOND);
    }
    assertThat(rate.bytesPerSecond(0)).isBetween(999.0, 1_001.0);
    for (int i = 0; i < 20; i++) {
      rate.add(10, SECOND);
    }
    assertThat(rate.bytesPerSecond(0)).isLessThan(50);
  }

  @Test
  void jobsBesideEachOtherShareTheTime() {
    WorkRate rate = new WorkRate();
    rate.begin(0);
    rate.begin(0);
    rate.done(100);
    rate.done(100);
    rate.end(SECOND);
    assertThat(rate.bytesPerSecond(SECOND)).isEqualTo(200);
    rate.end(2 * SECOND);
    assertThat(rate.bytesPerSecond(5 * SECOND)).isEqualTo(100);
  }
}
