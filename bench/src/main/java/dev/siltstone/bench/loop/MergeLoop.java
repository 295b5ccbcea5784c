package dev.siltstone.bench.loop;

import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import java.io.IOException;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Steps of a merge of several sorted sources whose keys alternate. */
@State(Scope.Thread)
@SuppressWarnings("NullAway.Init") // JMH calls setUp first.
public class MergeLoop {
  private static final int ENTRIES_PER_SOURCE = 20_000;

  /** How many sources are merged. */
  @Param({"2", "8"})
  public int sources;

  private InternalIterator merged;

  /** Fills the sources. */
  @Setup
  public void setUp() throws IOException {
    InternalIterator[] inputs = new InternalIterator[sources];
    for (int i = 0; i < sources; i++) {
      byte[][] keys = LoopData.keys(ENTRIES_PER_SOURCE, sources, i);
      inputs[i] = LoopData.memTable(keys, 1 << 20).iterator();
    }
    merged = MergingIterator.of(inputs);
    merged.first();
  }

  /** Closes the sources. */
  @TearDown
  public void tearDown() {
    merged.close();
  }

  /** One step, over and over from the start. */
  @Benchmark
  public long next() throws IOException {
    merged.next();
    if (!merged.valid()) {
      merged.first();
    }
    return merged.trailer();
  }
}
