package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.bench.measure.Outcome;
import dev.siltstone.bench.store.Engine;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.store.StoreConfig;
import dev.siltstone.bench.work.Budget;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Task;
import dev.siltstone.bench.work.Workload;
import dev.siltstone.bench.work.Workloads;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: parent and child understand each other, and a child that cannot go on says why.
// Method: real child processes, one healthy, one asked for what is not there, one with a bad heap.
final class ChildProcessTest {
  private static final Plan PLAN = new Plan(500, 500, 100, 1);
  private static final List<String> HEAP = List.of("-Xmx128m", "-XX:+UseSerialGC");

  @TempDir Path folder;

  @Test
  void aChildRunsWorkloadAfterWorkloadAndSaysWhatItRunsWith() throws Exception {
    try (ChildProcess child = start(HEAP)) {
      assertThat(child.settings()).contains("in memory");
      assertThat(child.jvmArguments()).isEqualTo(HEAP);
      for (String name : List.of("readrandom", "fillseq", "seekrandom")) {
        Workload workload = Workloads.of(name);
        Outcome outcome = child.run(workload, PLAN, 60, _ -> {});
        assertThat(outcome.measured().ops()).isEqualTo(workload.steps(PLAN));
        assertThat(outcome.measured().cut()).isFalse();
      }
    }
  }

  @Test
  void aFailureIsToldAndTheChildGoesOn() throws Exception {
    try (ChildProcess child = start(HEAP)) {
      assertThatThrownBy(() -> child.run(new Unknown(), PLAN, 60, _ -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("skiplist")
          .hasMessageContaining("no workload is called \"unknown\"");
      assertThat(child.run(Workloads.of("fillseq"), PLAN, 60, _ -> {}).measured().ops())
          .isEqualTo(500);
    }
  }

  @Test
  void aChildThatDiedIsNotWaitedFor() throws Exception {
    try (ChildProcess child = start(HEAP)) {
      ProcessHandle.current()
          .children()
          .filter(each -> each.info().commandLine().orElse("").contains("-Xmx128m"))
          .forEach(ProcessHandle::destroyForcibly);
      assertThatThrownBy(() -> child.run(Workloads.of("fillseq"), PLAN, 60, _ -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("ended with status");
      assertThatThrownBy(() -> child.run(Workloads.of("fillseq"), PLAN, 60, _ -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("has ended");
    }
  }

  @Test
  void theLastWordsOfADeadChildAreTold() {
    assertThatThrownBy(() -> start(List.of("-Xmx1k")))
        .isInstanceOf(EngineAbsentException.class)
        .hasMessageContaining("skiplist ended with status 1")
        .hasMessageContaining("heap");
  }

  private ChildProcess start(List<String> heap) throws Exception {
    return new ChildProcess(Engine.SKIPLIST, StoreConfig.DEFAULT, folder.resolve("child"), heap);
  }

  /** A workload that the child has never heard of. */
  private static final class Unknown implements Workload {
    @Override
    public Spec spec() {
      return new Spec("unknown", "nothing", 1, Shape.EMPTY, Shape.OTHER, Set.of());
    }

    @Override
    public long steps(Plan plan) {
      return 1;
    }

    @Override
    public Task task(Store store, Plan plan, Budget budget) {
      return _ -> 1;
    }
  }
}
