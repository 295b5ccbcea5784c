package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

// Goal: picker, job, drop rule and the look for older data together keep a tree of levels right:
// readers see what was written, for any key deeper is older, jobs may overlap in time, all work
// ends, and when all is done nothing dead is left. Method: random trees; then the same over classes
// with one precaution taken out.
final class TreeOfLevelsTest {
  private static final int TREES = 200;
  private static final int MUTANT_TREES = 300;

  private record Mutation(String name, Class<?> mutated, String original, String replacement) {}

  private static final List<Mutation> MUTATIONS =
      List.of(
          new Mutation(
              "subtree records look for older data below the output only",
              VersionOlderData.class,
              "for (int level = 0; level < Version.LEVELS; level++) {\n"
                  + "      FileMeta[] files = levels[level];\n"
                  + "      boolean sorted",
              "for (int level = outputLevel; level < Version.LEVELS; level++) {\n"
                  + "      FileMeta[] files = levels[level];\n"
                  + "      boolean sorted"),
          new Mutation(
              "files of level 0 sink past older ones",
              LeveledPicker.class,
              "busy.contains(file) || !fits || overlapsAny(file, left)",
              "busy.contains(file) || !fits"),
          new Mutation(
              "single files of level 0 sink without the older ones",
              LeveledPicker.class,
              "seeds.contains(file) || overlapsAny(file, result)",
              "seeds.contains(file)"),
          new Mutation(
              "expired files go although they hide something",
              LeveledPicker.class,
              "(expired && !olderBelow(file, level))",
              "expired"),
          new Mutation(
              "covered files go with their subtree records",
              LeveledPicker.class,
              "file.maxTime() > cutoff || file.subtrees() > 0",
              "file.maxTime() > cutoff"),
          new Mutation(
              "level 0 passes by levels that are left over",
              LevelTargets.class,
              "&& version.level(level).isEmpty()",
              "&& version.level(level) != null"),
          new Mutation(
              "files move although they overlap",
              LeveledPicker.class,
              "|| overlapsAny(file, before)",
              ""),
          new Mutation(
              "subtree deletes of the last level are rewritten for ever",
              LeveledPicker.class,
              "dead -= 2 * file.subtrees();",
              ""),
          new Mutation(
              "manual compactions leave what subtree records of other files hide",
              ManualCompaction.class,
              "if (!holdsSubtrees(version)) {",
              "if (true) {"),
          new Mutation(
              "range deletes reach over the cuts",
              CompactionJob.class,
              "sink.addRangeTombstone(from, end",
              "sink.addRangeTombstone(from, upper"));

  @Test
  void aTreeUnderRandomWritesAndCompactionsKeepsItsPromises() {
    TreeOfLevels checker = new TreeOfLevels();
    for (long seed = 0; seed < TREES; seed++) {
      assertThat(checker.apply(seed)).isNull();
    }
    assertThat(checker.actions).containsExactlyInAnyOrder(Compaction.Action.values());
    assertThat(checker.reasons)
        .containsExactlyInAnyOrderElementsOf(
            EnumSet.complementOf(EnumSet.of(Compaction.Reason.INGEST)));
  }

  @Test
  void everyPrecautionIsNeeded() throws IOException, ReflectiveOperationException {
    Mutants mutants = new Mutants();
    List<String> survivors = new ArrayList<>();
    for (Mutation mutation : MUTATIONS) {
      LongFunction<String> checker =
          mutants.load(
              TreeOfLevels.class, mutation.mutated, mutation.original, mutation.replacement);
      String caught = null;
      for (long seed = 0; seed < MUTANT_TREES && caught == null; seed++) {
        caught = checker.apply(seed);
      }
      if (caught == null) {
        survivors.add(mutation.name);
      }
    }
    assertThat(survivors).isEmpty();
  }
}
