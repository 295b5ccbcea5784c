package dev.siltstone.engine.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.SubtreeStack;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

// Goal: no reader at or after the cutoff sees a difference, nothing stays that could go, and each
// part of the rule is needed. Method: random files and random subsets of them as inputs against a
// reader that looks at every record; then the same checker over rules with one part broken.
final class DropRuleTest {
  private static final int CASES = 30_000;

  /** A broken rule is to be caught within so many cases. */
  private static final int MUTANT_CASES = 20_000;

  private record Mutation(String name, Class<?> mutated, String original, String replacement) {}

  private static final List<Mutation> MUTATIONS =
      List.of(
          new Mutation(
              "cutoff exclusive", DropRule.class, "if (time > cutoff)", "if (time >= cutoff)"),
          new Mutation(
              "subtree records hide equal times",
              DropRule.class,
              "time < subtrees.top()",
              "time <= subtrees.top()"),
          new Mutation(
              "range deletes hide equal times",
              DropRule.class,
              "time < rangeDeletes.newestCovering",
              "time <= rangeDeletes.newestCovering"),
          new Mutation(
              "tombstones always go", DropRule.class, "if (!mustHide)", "if (!mustHide || true)"),
          new Mutation("tombstones always stay", DropRule.class, "if (!mustHide)", "if (false)"),
          new Mutation(
              "subtree records hide nothing",
              DropRule.class,
              "      subtrees.push(length, time);",
              ""),
          new Mutation(
              "expired subtree records hide nothing",
              DropRule.class,
              "      subtrees.push(length, time);",
              "if (!KeyKind.expires(kind)) { subtrees.push(length, time); }"),
          new Mutation(
              "subtree records after the cutoff hide",
              DropRule.class,
              "if (time > cutoff) {",
              "if (time > cutoff) { if (KeyKind.isSubtree(Trailer.kind(trailer))) {"
                  + " subtrees.enter(key, offset, length); subtrees.push(length, time); }"),
          new Mutation(
              "records after the cutoff shadow",
              DropRule.class,
              "if (time > cutoff) {",
              "if (time > cutoff) { sameKey(key, offset, length);"),
          new Mutation("shadowed records stay", DropRule.class, "hidden || shadowed", "hidden"),
          new Mutation(
              "shadowed subtree records go",
              DropRule.class,
              "return subtree ? unlessOlder(gone, key, offset, length, trailer) : gone;",
              "return gone;"),
          new Mutation(
              "subtree records go under any range delete",
              DropRule.class,
              "hidden && rangeDeletes.coversSubtree(key, offset, length, time)",
              "hidden"),
          new Mutation("expiry exclusive", DropRule.class, "<= cutoff)", "< cutoff)"),
          new Mutation("expiry early", DropRule.class, "<= cutoff)", "<= cutoff + 1)"),
          new Mutation(
              "expired records always go",
              DropRule.class,
              "return unlessOlder(Fate.EXPIRED, key, offset, length, trailer);",
              "return Fate.EXPIRED;"),
          new Mutation(
              "tombstones lose their subtree flag",
              DropRule.class,
              "KeyKind.DELETE | (kind & KeyKind.SUBTREE)",
              "KeyKind.DELETE"),
          new Mutation(
              "subtree records look for older data at their key only",
              DropRule.class,
              "older.mayHoldSubtree(key",
              "older.mayHoldKey(key"),
          new Mutation(
              "keys are the same if their lengths are",
              DropRule.class,
              "length == lastLength && Bytes.equal(key, offset, length, lastKey, 0, length)",
              "length == lastLength"),
          new Mutation(
              "the path is popped once only",
              SubtreeStack.class,
              "while (depth > 0",
              "if (depth > 0"),
          new Mutation(
              "the path is never popped",
              SubtreeStack.class,
              "lengths[depth - 1] > shared",
              "lengths[depth - 1] > shared + 9"),
          new Mutation(
              "range deletes at or before the cutoff go",
              RangeDeletes.class,
              "(hides ? 1 : 0)",
              "0"),
          new Mutation(
              "range deletes at or before the cutoff stay",
              RangeDeletes.class,
              "(hides ? 1 : 0)",
              "(newer < times.length ? 1 : 0)"),
          new Mutation(
              "range deletes hide with their newest time",
              RangeDeletes.class,
              "newer < times.length ? times[newer] : HybridTime.MIN",
              "times[0]"),
          new Mutation(
              "range deletes at the cutoff count as after it",
              RangeDeletes.class,
              "times[newer] > cutoff",
              "times[newer] >= cutoff"),
          new Mutation(
              "upper bounds are inclusive",
              RangeDeletes.class,
              "upper.length, key, offset, length) > 0",
              "upper.length, key, offset, length) >= 0"),
          new Mutation(
              "a subtree is covered if its key is",
              RangeDeletes.class,
              "if (upper.length < length ||",
              "if (true || upper.length < length ||"),
          new Mutation(
              "fragments that touch cover although one is too old",
              RangeDeletes.class,
              "while (hiding[at] > time)",
              "while (hiding[at] > time || at >= 0)"),
          new Mutation(
              "lower bounds are exclusive",
              RangeDeletes.class,
              "lower.length, key, offset, length) <= 0",
              "lower.length, key, offset, length) < 0"));

  @Test
  void noReaderSeesADifferenceAndNothingStaysInVain() {
    DropRuleChecker checker = new DropRuleChecker();
    for (int seed = 0; seed < CASES; seed++) {
      assertThat(checker.apply(seed)).isNull();
    }
  }

  @Test
  void everyPartOfTheRuleIsNeeded() throws IOException, ReflectiveOperationException {
    Mutants mutants = new Mutants();
    List<String> survivors = new ArrayList<>();
    for (Mutation mutation : MUTATIONS) {
      LongFunction<String> checker =
          mutants.load(
              DropRuleChecker.class, mutation.mutated, mutation.original, mutation.replacement);
      if (casesUntilCaught(checker) == MUTANT_CASES) {
        survivors.add(mutation.name);
      }
    }
    assertThat(survivors).isEmpty();
  }

  private static int casesUntilCaught(LongFunction<String> checker) {
    for (int seed = 0; seed < MUTANT_CASES; seed++) {
      try {
        if (checker.apply(seed) != null) {
          return seed;
        }
      } catch (AssertionError | RuntimeException e) {
        return seed;
      }
    }
    return MUTANT_CASES;
  }

  @Test
  void aRecordOfAnUnknownKindIsRefused() {
    byte[] key = {1};
    for (int kind : new int[] {0, 7, KeyKind.RANGE_DELETE, KeyKind.PUT | 0x80}) {
      assertThatThrownBy(() -> rule().judge(key, 0, 1, Trailer.of(1, kind), Bytes.EMPTY, 0, 0))
          .isInstanceOf(UnsupportedFileException.class);
    }
  }

  @Test
  void aValueShorterThanItsExpiryIsAnErrorAndNotAnIndexOutOfBounds() {
    byte[] key = {1};
    long trailer = Trailer.of(1, KeyKind.PUT | KeyKind.EXPIRES);
    assertThatThrownBy(() -> rule().judge(key, 0, 1, trailer, new byte[7], 0, 7))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("7 bytes");
  }

  private static DropRule rule() {
    FragmentedRangeTombstones none = FragmentedRangeTombstones.union(List.of(), HybridTime.MIN);
    return new DropRule(9, OlderData.NONE, new RangeDeletes(none, 9, OlderData.NONE));
  }
}
