package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.iter.MergingIterator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

// Goal: whether blocks are copied or their records written one by one makes no difference to what
// a merge leaves; what is copied is as right as what is written.
// Method: random files of runs of keys with few deletes, expiries, versions and range deletes, of
// several block lengths and compressors; planted mistakes, which it must notice.
final class BlockCopyTest {
  private static final int CASES = 500;
  private static final int MUTANT_CASES = 3_000;

  private record Mutation(String name, Class<?> mutated, String original, String replacement) {}

  private static final List<Mutation> MUTATIONS =
      List.of(
          new Mutation(
              "subtree records hide nothing in a block",
              DropRule.class,
              "return subtrees.isEmpty()",
              "return true"),
          new Mutation(
              "range deletes hide nothing in a block",
              DropRule.class,
              "        && rangeDeletes.isEmpty()\n",
              ""),
          new Mutation(
              "the first key of a block is always new",
              DropRule.class,
              "&& (length != lastLength || !Bytes.equal(key, offset, length, lastKey, 0, length));",
              ";"),
          new Mutation(
              "the last key of a block hides nothing",
              CompactionJob.class,
              "rule.kept(last, lastLength, block.lastTrailer());",
              ""),
          new Mutation(
              "the last key of a block hides whatever its time",
              DropRule.class,
              "if (cutoff >= Trailer.time(trailer))",
              "if (true)"),
          new Mutation(
              "every block is plain", CompactionJob.class, "\n        && block.isPlain()", ""),
          new Mutation(
              "a block may go beyond the span",
              CompactionJob.class,
              "\n        && limits.span.reaches(block.lastKeyArray(), 0, block.lastKeyLength())",
              ""),
          new Mutation(
              "a block may go beyond a grandparent",
              CompactionJob.class,
              "if (splitter.endsBefore(last, lastLength))",
              "if (false)"),
          new Mutation(
              "outputs are not ended before a block",
              CompactionJob.class,
              "    cutBefore(records.keyArray(), records.keyOffset(), records.keyLength());\n"
                  + "    if (splitter",
              "    if (splitter"),
          new Mutation(
              "other sources do not matter",
              MergingIterator.class,
              "&& !isBehind(source, block)",
              "&& false"),
          new Mutation(
              "other sources may begin with the last key",
              MergingIterator.class,
              "            block.lastKeyLength())\n        > 0;",
              "            block.lastKeyLength())\n        >= 0;"));

  @Test
  void blocksMakeNoDifference() {
    BlockCopyChecker checker = new BlockCopyChecker();
    for (int seed = 0; seed < CASES; seed++) {
      assertThat(checker.apply(seed)).as("seed %s", seed).isNull();
    }
    assertThat(checker.copied).isGreaterThan(50L * CASES);
    assertThat(checker.mixed).isGreaterThan(CASES / 4);
  }

  @Test
  void everyConditionIsNeeded() throws IOException, ReflectiveOperationException {
    Mutants mutants = new Mutants();
    List<String> survivors = new ArrayList<>();
    for (Mutation mutation : MUTATIONS) {
      LongFunction<String> checker =
          mutants.load(
              BlockCopyChecker.class, mutation.mutated, mutation.original, mutation.replacement);
      if (!isCaught(checker)) {
        survivors.add(mutation.name);
      }
    }
    assertThat(survivors).isEmpty();
  }

  private static boolean isCaught(LongFunction<String> checker) {
    for (int seed = 0; seed < MUTANT_CASES; seed++) {
      try {
        if (checker.apply(seed) != null) {
          return true;
        }
      } catch (AssertionError | RuntimeException e) {
        return true;
      }
    }
    return false;
  }
}
