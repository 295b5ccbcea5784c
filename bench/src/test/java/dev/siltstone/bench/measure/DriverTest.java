package dev.siltstone.bench.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.time.SystemClock;
import dev.siltstone.bench.work.WrongAnswerException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

// Goal: every step is done once, by the right number of threads, and the cap and failures end a
// run.
// Method: tasks that count; no value that depends on time is asserted.
final class DriverTest {
  private final Driver driver = new Driver(new SystemClock(), _ -> {});

  @Test
  void everyStepIsDoneOnceByAsManyThreads() throws Exception {
    Set<Long> done = ConcurrentHashMap.newKeySet();
    Set<String> threads = ConcurrentHashMap.newKeySet();

    Measured measured =
        driver.run(
            1003,
            4,
            60,
            _ ->
                index -> {
                  threads.add(Thread.currentThread().getName());
                  return done.add(index) ? 2 : 0;
                });

    assertThat(done).hasSize(1003).contains(0L, 1002L);
    assertThat(threads).hasSize(4);
    assertThat(measured.ops()).isEqualTo(2006);
    assertThat(measured.cut()).isFalse();
    assertThat(measured.rate()).isPositive();
  }

  @Test
  void theCapCutsARunBetweenSteps() throws Exception {
    AtomicLong steps = new AtomicLong();

    Measured measured = driver.run(Long.MAX_VALUE, 1, 0.05, _ -> _ -> steps.addAndGet(0) + 1);

    assertThat(measured.cut()).isTrue();
    assertThat(measured.ops()).isPositive();
  }

  @Test
  void aLongStepLearnsThatTheTimeIsOver() throws Exception {
    Measured measured =
        driver.run(
            1,
            1,
            0.05,
            budget ->
                _ -> {
                  long seen = 0;
                  while (!budget.spent()) {
                    seen++;
                  }
                  return seen;
                });

    assertThat(measured.cut()).isTrue();
    assertThat(measured.latency().p50()).isNaN();
  }

  @Test
  void whatATaskThrowsIsThrown() {
    assertThatThrownBy(
            () ->
                driver.run(
                    10,
                    2,
                    60,
                    _ ->
                        _ -> {
                          throw new WrongAnswerException("planted");
                        }))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessage("planted");
  }

  @Test
  void aThreadBesideTheOthersGoesOnUntilTheyAreDone() throws Exception {
    AtomicLong beside = new AtomicLong();

    Measured measured =
        driver.run(
            2000,
            1,
            60,
            _ ->
                index -> {
                  // The last step waits for the other thread, so that it is known to have run.
                  while (index == 1999 && beside.get() < 10) {
                    Thread.onSpinWait();
                  }
                  return 1;
                },
            _ ->
                _ -> {
                  beside.incrementAndGet();
                  return 1;
                });

    assertThat(measured.ops()).isEqualTo(2000);
    assertThat(measured.cut()).isFalse();
    assertThat(measured.figures().get(Driver.BACKGROUND)).isPositive();
    assertThat(measured.figures().get(Driver.STEADINESS)).isPositive();
  }

  @Test
  void whatTheThreadBesideThrowsEndsAll() {
    assertThatThrownBy(
            () ->
                driver.run(
                    Long.MAX_VALUE,
                    1,
                    600,
                    _ -> _ -> 1,
                    _ ->
                        _ -> {
                          throw new WrongAnswerException("planted beside");
                        }))
        .isInstanceOf(WrongAnswerException.class)
        .hasMessage("planted beside");
  }

  @Test
  void howSteadyARunWasIsToldOnlyOfWholeLongOnes() throws Exception {
    assertThat(driver.run(999, 1, 60, _ -> _ -> 1).figures()).isEmpty();
    assertThat(driver.run(2000, 2, 60, _ -> _ -> 1).figures()).isEmpty();
    assertThat(driver.run(Long.MAX_VALUE, 1, 0.05, _ -> _ -> 1).figures()).isEmpty();
  }
}
