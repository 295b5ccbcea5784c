package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.siltstone.engine.StallPolicy.Memory;
import dev.siltstone.engine.StallPolicy.Pressure;
import dev.siltstone.engine.StallPolicy.Tables;
import dev.siltstone.engine.StallPolicy.Verdict;
import org.junit.jupiter.api.Test;

// Goal: writers are paced by the debt that presses most, the more the less of it is free, and stop
// only where memory or reads would suffer. Method: tables of pressures and verdicts, in units of a
// flush of 10 within a memory of 40 and of a background that gets through 100 a second.
final class StallPolicyTest {
  private static final double RATE = 100;
  private static final Tables NO_TABLES = new Tables(0, 0, 1, RATE);
  private static final Memory NO_MEMORY = memory(1, 0, 0, 0);

  private static Memory memory(int sealed, long active, long waiting, long flushed) {
    return new Memory(sealed, active, waiting, active + waiting + flushed, 40, 10, RATE);
  }

  private static String judge(Memory memory, Tables tables) {
    return switch (StallPolicy.judge(new Pressure(memory, tables))) {
      case Verdict.Admit _ -> "admit";
      case Verdict.Pace pace -> pace.cause() + " " + Math.round(pace.bytesPerSecond());
      case Verdict.Stop stop -> "stop: " + stop.cause();
    };
  }

  private static String ofMemory(int sealed, long active, long waiting, long flushed) {
    return judge(memory(sealed, active, waiting, flushed), NO_TABLES);
  }

  private static String ofTables(int level0Files, long debt) {
    return judge(NO_MEMORY, new Tables(level0Files, debt, 1, RATE));
  }

  @Test
  void memory() {
    assertThat(ofMemory(0, 9, 0, 0)).isEqualTo("admit");
    assertThat(ofMemory(1, 0, 10, 0)).as("the first flush begins").isEqualTo("admit");
    assertThat(ofMemory(1, 10, 1, 9)).isEqualTo("memory 1900");
    assertThat(ofMemory(2, 5, 10, 5)).isEqualTo("memory 300");
    assertThat(ofMemory(2, 10, 10, 0)).as("as fast as the flush").isEqualTo("memory 100");
    assertThat(ofMemory(2, 5, 20, 0)).isEqualTo("memory 33");
    assertThat(ofMemory(3, 9, 20, 0)).isEqualTo("memory 13");
    assertThat(ofMemory(3, 10, 20, 0)).as("used up").isEqualTo("memory 13");
    assertThat(ofMemory(4, 10, 20, 10)).as("to the brim").isEqualTo("memory 13");
    assertThat(ofMemory(4, 11, 20, 10)).isEqualTo("stop: memory");
    assertThat(ofMemory(0, 50, 0, 0)).as("a huge batch").isEqualTo("admit");
  }

  @Test
  void thePaceDoesNotChangeWithTheTurnsOfMemtables() {
    // One memtable fills while another is flushed, at the same rate.
    for (int part = 0; part < 10; part++) {
      assertThat(ofMemory(2, part, 20 - part, part)).isEqualTo("memory 100");
    }
  }

  @Test
  void memtablesOfManyTreesThatNobodySealsAreNoDebt() {
    assertThat(ofMemory(0, 20, 0, 0)).isEqualTo("admit");
    assertThat(ofMemory(1, 19, 1, 0)).isEqualTo("memory 1000");
    assertThat(ofMemory(5, 15, 8, 0)).isEqualTo("memory 88");
  }

  @Test
  void memtablesAsLargeAsTheirShareStillGetRoom() {
    Memory memory = new Memory(1, 16, 4, 20, 40, 16, RATE);
    assertThat(judge(memory, NO_TABLES)).isEqualTo("memory 100");
  }

  @Test
  void countOfMemtables() {
    assertThat(ofMemory(StallPolicy.SEALED_SOFT, 0, 5, 0)).isEqualTo("admit");
    assertThat(ofMemory(7, 0, 5, 0)).isEqualTo("memtables 300");
    assertThat(ofMemory(10, 0, 5, 0)).isEqualTo("memtables 100");
    assertThat(ofMemory(15, 0, 5, 0)).isEqualTo("memtables 13");
    assertThat(ofMemory(StallPolicy.SEALED_MAX, 0, 5, 0)).isEqualTo("stop: memtables");
  }

  @Test
  void filesOfLevel0() {
    assertThat(ofTables(StallPolicy.LEVEL0_SOFT, 0)).isEqualTo("admit");
    assertThat(ofTables(21, 0)).as("35 times as fast").isEqualTo("admit");
    assertThat(ofTables(29, 0)).isEqualTo("level0-files 300");
    assertThat(ofTables(38, 0)).isEqualTo("level0-files 100");
    assertThat(ofTables(StallPolicy.LEVEL0_HARD - 1, 0)).isEqualTo("level0-files 13");
    assertThat(ofTables(StallPolicy.LEVEL0_HARD, 0)).isEqualTo("stop: level0-files");
  }

  @Test
  void debtOfCompaction() {
    assertThat(ofTables(0, 64)).isEqualTo("admit");
    assertThat(ofTables(0, 160)).isEqualTo("compaction-debt 100");
    assertThat(ofTables(0, 1_000)).as("never a stop").isEqualTo("compaction-debt 13");
    assertThat(judge(NO_MEMORY, new Tables(0, 0, 0, 0))).as("nothing compacts").isEqualTo("admit");
  }

  @Test
  void theSlowestHolds() {
    Memory memory = memory(2, 10, 10, 0);
    assertThat(judge(memory, new Tables(47, 0, 1, RATE))).isEqualTo("level0-files 33");
    assertThat(judge(memory, new Tables(29, 0, 1, RATE))).isEqualTo("memory 100");
    assertThat(judge(memory, new Tables(38, 200, 1, RATE))).isEqualTo("compaction-debt 41");
  }

  @Test
  void whatIsNotMeasuredIsNotAskedFor() {
    Memory unknown = new Memory(2, 10, 15, 25, 40, 10, 0);
    assertThat(judge(unknown, NO_TABLES)).isEqualTo("admit");
    assertThat(judge(unknown, new Tables(38, 0, 1, 0))).isEqualTo("admit");
    assertThat(judge(NO_MEMORY, new Tables(38, 0, 1, 0)))
        .as("files were flushed at least")
        .isEqualTo("level0-files 100");
  }

  @Test
  void debtsOfAllSizesFallSmoothly() {
    double last = Double.POSITIVE_INFINITY;
    for (int waiting = 10; waiting <= 30; waiting++) {
      Verdict verdict = StallPolicy.judge(new Pressure(memory(2, 5, waiting, 0), NO_TABLES));
      if (verdict instanceof Verdict.Pace pace) {
        assertThat(pace.bytesPerSecond()).isLessThanOrEqualTo(last);
        last = pace.bytesPerSecond();
      }
    }
    assertThat(last).isEqualTo(RATE / 8, within(0.01));
  }

  @Test
  void calmIsWhatCannotBeHeldBack() {
    assertThat(StallPolicy.isCalm(0, StallPolicy.LEVEL0_SOFT, 64, 1)).isTrue();
    assertThat(StallPolicy.isCalm(1, 0, 0, 1)).isFalse();
    assertThat(StallPolicy.isCalm(0, StallPolicy.LEVEL0_SOFT + 1, 0, 1)).isFalse();
    assertThat(StallPolicy.isCalm(0, 0, 65, 1)).isFalse();
  }
}
