package dev.siltstone.bench.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.bench.store.FaultyStore;
import dev.siltstone.bench.store.FaultyStore.Fault;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Work.Shape;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

// Goal: a workload passes on a right store and fails on a wrong one.
// Method: every workload in small on a skip list, then on skip lists that err in one way each.
final class WorkloadsTest {
  private static final Plan PLAN = new Plan(1000, 1000, 100, 1);

  @Test
  void everyWorkloadPassesOnARightStore() {
    for (Workload workload : Workloads.all()) {
      assertThatCode(() -> run(workload, Fault.NONE))
          .as(workload.spec().name())
          .doesNotThrowAnyException();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "fillseq, LOSES_PUTS",
    "fillseq, DAMAGES_VALUES",
    "fillbatch, LOSES_PUTS",
    "fillbatch, SKIPS_ENTRIES",
    "fillrandom, LOSES_PUTS",
    "fillrandom, REPEATS_ENTRIES",
    "overwrite, DAMAGES_VALUES",
    "overwrite, LOSES_PUTS",
    "readrandom, LOSES_PUTS",
    "readrandom, DAMAGES_VALUES",
    "readmissing, FINDS_NEIGHBOURS",
    "multireadrandom, LOSES_PUTS",
    "multireadrandom, DAMAGES_VALUES",
    "readwhilewriting, LOSES_PUTS",
    "readwhilewriting, DAMAGES_VALUES",
    "deleteseq, LOSES_DELETES",
    "seekrandom, LOSES_PUTS",
    "seekrandom, SKIPS_ENTRIES",
    "seekrandom, REPEATS_ENTRIES",
    "readseq, LOSES_PUTS",
    "readseq, SKIPS_ENTRIES",
    "readseq, REPEATS_ENTRIES",
    "readreverse, SKIPS_ENTRIES",
    "readreverse, REPEATS_ENTRIES",
    "compact, LOSES_PUTS",
    "deleterandom, LOSES_DELETES",
    "deleterandom, LOSES_PUTS",
    "seekdeleted, LOSES_DELETES",
    "seekdeleted, SEES_THE_DEAD",
    "queue, LOSES_PUTS",
    "queue, LOSES_DELETES",
    "fillsync, LOSES_PUTS",
    "fillsync8, DAMAGES_VALUES"
  })
  void aWorkloadNoticesAWrongStore(String name, Fault fault) {
    assertThatThrownBy(() -> run(Workloads.of(name), fault))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageMatching(".*\\d.*");
  }

  @Test
  void namesAreOnceEachAndUnknownOnesAreAnsweredWithThoseThereAre() {
    Set<String> names = new HashSet<>();
    for (Workload workload : Workloads.all()) {
      assertThat(names.add(workload.spec().name())).isTrue();
      assertThat(Workloads.of(workload.spec().name())).isSameAs(workload);
    }
    assertThatThrownBy(() -> Workloads.of("fillzig"))
        .hasMessageContaining("\"fillzig\"")
        .hasMessageContaining("fillseq, ");
  }

  @Test
  void plansWithoutWorkAreRefused() {
    assertThatThrownBy(() -> new Plan(0, 1, 100, 1)).hasMessageContaining("positive");
    assertThatThrownBy(() -> new Plan(1, 1, 4, 1)).hasMessageContaining("12 bytes");
  }

  @Test
  void theThreadBesideTheReadersNoticesWhatItCannotReadBack() {
    Workload workload = Workloads.of("readwhilewriting");
    try (Store store = new FaultyStore(Fault.LOSES_PUTS)) {
      Task beside = workload.background(store, PLAN);
      assertThat(beside).isNotNull();
      assertThatThrownBy(
              () -> {
                for (long i = 0; i < 97 * 61; i++) {
                  beside.step(i);
                }
              })
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("has not the value just written");
    }
  }

  @Test
  void fewAnswersForManyKeysAreNoticed() {
    Store forgetful =
        new FaultyStore(Fault.NONE) {
          @Override
          public List<byte @Nullable []> getAll(List<byte[]> keys) {
            return super.getAll(keys.subList(1, keys.size()));
          }
        };
    steps(Workloads.of("fillrandom"), forgetful);
    assertThatThrownBy(() -> steps(Workloads.of("multireadrandom"), forgetful))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessageContaining("99 answers came for 100 keys");
  }

  private static void run(Workload workload, Fault fault) {
    try (Store store = new FaultyStore(fault)) {
      Shape before = workload.spec().before();
      if (before == Shape.FILLED || before == Shape.LAYERED) {
        steps(Workloads.of("fillrandom"), store);
      }
      workload.prepare(store, PLAN);
      steps(workload, store);
      workload.verify(store, PLAN);
    }
  }

  private static void steps(Workload workload, Store store) {
    Task task = workload.task(store, PLAN, Budget.UNLIMITED);
    for (long i = 0; i < workload.steps(PLAN); i++) {
      task.step(i);
    }
  }
}
