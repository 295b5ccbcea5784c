package dev.siltstone.bench.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.store.FaultyStore;
import dev.siltstone.bench.store.FaultyStore.Fault;
import dev.siltstone.bench.work.Plan;
import dev.siltstone.bench.work.Workloads;
import dev.siltstone.bench.work.WrongAnswerException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: a workload finds the store in the shape it needs, and a wrong store ends the run.
// Method: count how often a store is opened; plant stores that err.
final class SessionTest {
  private static final Plan PLAN = new Plan(1000, 1000, 100, 1);

  @TempDir Path folder;
  private int opened;
  private boolean compacting;

  @Test
  void aFilledStoreIsKeptAndAnEmptyOneIsNew() throws Exception {
    try (Session session = session(Fault.NONE)) {
      run(session, "readrandom");
      assertThat(opened).isEqualTo(1);
      run(session, "overwrite");
      run(session, "readseq");
      assertThat(opened).isEqualTo(1);
      run(session, "fillseq");
      assertThat(opened).isEqualTo(2);
      run(session, "deleterandom");
      assertThat(opened).isEqualTo(2);
      run(session, "readmissing");
      assertThat(opened).isEqualTo(3);
    }
  }

  @Test
  void whatIsCompactedOnDemandIsNotCompactedBefore() throws Exception {
    try (Session session = session(Fault.NONE)) {
      run(session, "fillseq");
      assertThat(compacting).isTrue();
      run(session, "compact");
      assertThat(compacting).isFalse();
      run(session, "readrandom");
      assertThat(compacting).isTrue();
      assertThat(opened).isEqualTo(3);
    }
  }

  @Test
  void aWrongStoreEndsTheRun() throws Exception {
    try (Session session = session(Fault.LOSES_PUTS)) {
      assertThatThrownBy(() -> run(session, "fillseq")).isInstanceOf(WrongAnswerException.class);
    }
    try (Session session = session(Fault.DAMAGES_VALUES)) {
      assertThatThrownBy(() -> run(session, "readrandom")).isInstanceOf(WrongAnswerException.class);
    }
  }

  private Session session(Fault fault) {
    return new Session(
        (_, compacts) -> {
          opened++;
          compacting = compacts;
          return new FaultyStore(fault);
        },
        folder.resolve("store"),
        new SystemClock());
  }

  private static void run(Session session, String name) throws Exception {
    session.run(Workloads.of(name), PLAN, 60, _ -> {});
  }
}
