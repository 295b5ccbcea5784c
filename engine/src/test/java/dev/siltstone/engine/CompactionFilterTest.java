package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.spi.CompactionFilter.Verdict;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/**
 * Goal: a compaction filter of the application is asked about what its contract says and about
 * nothing else, and whatever it does, nothing is lost but what it drops. Method: stores on a
 * simulated machine; filters that drop by value, rewrite, fail, and write down what they saw.
 */
final class CompactionFilterTest {
  private static final Path DIRECTORY = Path.of("/home/store");
  private static final TreeOptions FILTERED = TreeOptions.DEFAULT.withCompactionFilter("test");

  /** Every slash, and the key itself. */
  private static final SubtreeLengths SLASHES =
      new SubtreeLengths() {
        @Override
        public String name() {
          return "slashes";
        }

        @Override
        public int of(byte[] key, int offset, int length, int[] lengths) {
          int count = 0;
          for (int i = 0; i < length; i++) {
            if (key[offset + i] == '/') {
              lengths[count++] = i + 1;
            }
          }
          return count;
        }
      };

  private final Simulation machine = Simulation.of(new Seed(1));
  private final SplittableRandom random = new SplittableRandom(1);
  private final List<String> seen = new ArrayList<>();
  private final List<CompactionFilter.Context> contexts = new ArrayList<>();
  private final List<String> suspended = new ArrayList<>();

  /** Drops what says "drop", turns "old..." into "new...". */
  private Verdict judge(CompactionFilter.Entry entry) {
    String key = text(entry.keyArray(), entry.keyOffset(), entry.keyLength());
    String value = text(entry.valueArray(), entry.valueOffset(), entry.valueLength());
    seen.add(key + "=" + value);
    if (value.startsWith("old")) {
      byte[] replacement = bytes("[new" + value.substring(3) + "]");
      entry.replaceValue(replacement, 1, replacement.length - 2);
      return Verdict.REPLACE;
    }
    return value.equals("drop") ? Verdict.DROP : Verdict.KEEP;
  }

  private CompactionFilter make(CompactionFilter.Context context) {
    contexts.add(context);
    return this::judge;
  }

  @Test
  void dropsAndReplacesWhatItSays() {
    try (Db db = open(this::make, FILTERED)) {
      db.put(bytes("a"), bytes("keep"));
      db.put(bytes("b"), bytes("drop"));
      db.put(bytes("c"), bytes("old wine"));
      db.flush();
      assertThat(seen).as("a flush asks nothing").isEmpty();
      db.compact(KeyRange.ALL);
      assertThat(seen).containsExactly("a=keep", "b=drop", "c=old wine");
      assertThat(content(db.tree())).containsExactly("a=keep", "c=new wine");
      assertThat(db.tree().stats().tableEntries()).isEqualTo(2);
      assertThat(contexts.getFirst().tree()).isEqualTo("default");
      assertThat(contexts.getFirst().level()).isBetween(1, 6);
    }
    try (Db db = open(this::make, FILTERED)) {
      assertThat(content(db.tree())).containsExactly("a=keep", "c=new wine");
    }
  }

  @Test
  void aCompactionOnRequestMeetsWhatLiesInTheLastLevel() {
    try (Db db = open(null, TreeOptions.DEFAULT)) {
      db.put(bytes("a"), bytes("drop"));
      db.put(bytes("b"), bytes("keep"));
      db.compact(KeyRange.ALL);
    }
    try (Db db = open(this::make, FILTERED)) {
      assertThat(db.get(bytes("a"))).isNotNull();
      db.compact(KeyRange.ALL);
      assertThat(content(db.tree())).containsExactly("b=keep");
    }
  }

  @Test
  void isNotAskedAboutWhatGoesAnywayOrIsTooNewOrApart() {
    Options options = Options.builder().separateValueBytes(1 << 10).defaultTree(FILTERED).build();
    try (Db db = open(this::make, options)) {
      db.put(bytes("a"), bytes("drop 1"));
      db.put(bytes("b"), bytes("deleted"));
      db.delete(bytes("b"));
      db.put(bytes("c"), bytes("in a range"));
      db.deleteRange(KeyRange.of(bytes("c"), bytes("d")));
      db.tree().put(bytes("e"), bytes("gone"), Duration.ofSeconds(1));
      db.put(bytes("f"), bytes("x".repeat(2_000)));
      machine.clock().advance(2_000_000_000L);
      db.put(bytes("a"), bytes("a2"));
      try (Snapshot snapshot = db.snapshot()) {
        db.put(bytes("g"), bytes("drop"));
        db.put(bytes("a"), bytes("a3"));
        db.compact(KeyRange.ALL);
        assertThat(seen).containsExactly("a=a2");
        assertThat(db.tree().get(bytes("a"), snapshot)).isEqualTo(bytes("a2"));
        assertThat(db.get(bytes("g"))).as("newer than the snapshot").isEqualTo(bytes("drop"));
      }
      seen.clear();
      db.put(bytes("h"), bytes("h"));
      db.compact(KeyRange.ALL);
      assertThat(seen).containsExactlyInAnyOrder("a=a3", "g=drop", "h=h");
      assertThat(db.get(bytes("g"))).isNull();
      assertThat(db.get(bytes("f"))).hasSize(2_000);
    }
  }

  @Test
  void aSnapshotSeesWhatTheFilterLeavesAndACursorWhatWasThere() {
    try (Db db = open(this::make, FILTERED)) {
      db.put(bytes("a"), bytes("drop"));
      db.put(bytes("b"), bytes("old"));
      db.flush();
      try (Snapshot snapshot = db.snapshot();
          Cursor before = db.tree().cursor(ReadOptions.DEFAULT.withSnapshot(snapshot))) {
        db.compact(KeyRange.ALL);
        assertThat(db.tree().get(bytes("a"), snapshot)).isNull();
        assertThat(db.tree().get(bytes("b"), snapshot)).isEqualTo(bytes("new"));
        assertThat(before.first()).isTrue();
        assertThat(before.value()).isEqualTo(bytes("drop"));
        assertThat(before.next()).isTrue();
        assertThat(before.value()).isEqualTo(bytes("old"));
      }
    }
  }

  @Test
  void whatIsDroppedDoesNotUncoverWhatIsOlder() {
    Options options = Options.builder().automaticCompaction(false).defaultTree(FILTERED).build();
    try (Db db = open(this::make, options)) {
      db.put(bytes("a"), bytes("older"));
      db.put(bytes("b"), bytes("b"));
      db.compact(KeyRange.ALL);
      db.put(bytes("a"), bytes("drop"));
      db.deleteRange(KeyRange.of(bytes("b"), bytes("c")));
      db.put(bytes("b1"), bytes("drop"));
      db.put(bytes("b2"), bytes("old"));
      db.compact(KeyRange.ALL);
      assertThat(content(db.tree())).containsExactly("b2=new");
      db.put(bytes("a"), bytes("again"));
      assertThat(content(db.tree())).containsExactly("a=again", "b2=new");
    }
  }

  @Test
  void aDroppedSubtreeRecordGoesOnHidingWhatIsBelow() {
    TreeOptions options = FILTERED.withSubtrees(SLASHES);
    try (Db db = open(this::make, options)) {
      db.put(bytes("row/x"), bytes("x1"));
      db.put(bytes("row/y"), bytes("y1"));
      db.compact(KeyRange.ALL);
      db.tree().putSubtree(bytes("row/"), bytes("drop"));
      db.put(bytes("row/y"), bytes("y2"));
      db.compact(KeyRange.ALL);
      assertThat(seen).contains("row/=drop");
      assertThat(content(db.tree())).containsExactly("row/y=y2");
    }
  }

  @Test
  void anExpiringValueKeepsItsExpiryWhenItIsReplaced() {
    List<Long> expiries = new ArrayList<>();
    CompactionFilter.Factory factory =
        _ ->
            entry -> {
              expiries.add(entry.expiryTime());
              return judge(entry);
            };
    try (Db db = open(factory, FILTERED)) {
      db.tree().put(bytes("a"), bytes("old but long"), Duration.ofHours(1));
      db.put(bytes("b"), bytes("old"));
      db.compact(KeyRange.ALL);
      assertThat(seen).containsExactly("a=old but long", "b=old");
      assertThat(expiries.get(0)).isGreaterThan(0).isLessThan(Long.MAX_VALUE);
      assertThat(expiries.get(1)).isEqualTo(Long.MAX_VALUE);
      assertThat(content(db.tree())).containsExactly("a=new but long", "b=new");
      machine.clock().advance(Duration.ofHours(2).toNanos());
      assertThat(content(db.tree())).containsExactly("b=new");
    }
  }

  @Test
  void aFilterThatFailsStopsCompactionAndNothingElse() {
    List<CompactionFilter.Factory> failing =
        List.of(
            _ -> {
              throw new IllegalStateException("no filter today");
            },
            _ ->
                _ -> {
                  throw new AssertionError("wrong");
                },
            _ -> _ -> Verdict.REPLACE,
            _ -> nothing(),
            _ ->
                entry -> {
                  entry.replaceValue(new byte[1], 1, 1);
                  return Verdict.REPLACE;
                });
    int tree = 0;
    for (CompactionFilter.Factory factory : failing) {
      String name = "tree" + tree++;
      try (Db db = open(factory, Options.DEFAULT)) {
        Tree filtered = db.openTree(name, FILTERED);
        filtered.put(bytes("a"), bytes("1"));
        assertThatThrownBy(() -> filtered.compact(KeyRange.ALL))
            .isInstanceOf(DbException.Unavailable.class)
            .hasMessageContaining("compaction filter 'test' of tree '" + name + "' failed");
        db.awaitQuiet();
        assertThat(suspended).containsExactly(name);
        filtered.put(bytes("b"), bytes("2"));
        filtered.flush();
        assertThatThrownBy(() -> filtered.compact(KeyRange.ALL))
            .isInstanceOf(DbException.Unavailable.class);
        assertThat(content(filtered)).containsExactly("a=1", "b=2");
        db.put(bytes("other"), bytes("tree"));
        db.compact(KeyRange.ALL);
      }
      suspended.clear();
      try (Db db = open(this::make, Options.DEFAULT)) {
        db.tree(name).compact(KeyRange.ALL);
        assertThat(content(db.tree(name))).containsExactly("a=1", "b=2");
      }
    }
  }

  @SuppressWarnings("NullAway") // What an application that is not checked may return.
  private static CompactionFilter nothing() {
    return _ -> null;
  }

  @Test
  void writersAreNotHeldBackForATreeThatNothingCompacts() {
    CompactionFilter.Factory factory =
        _ -> {
          throw new IllegalStateException("never");
        };
    try (Db db = open(factory, FILTERED)) {
      for (int i = 0; i <= StallPolicy.LEVEL0_HARD + 1; i++) {
        db.put(bytes("a"), bytes("" + i));
        db.flush();
      }
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("" + (StallPolicy.LEVEL0_HARD + 1)));
      assertThat(db.tree().stats().levels().getFirst().files())
          .isGreaterThan(StallPolicy.LEVEL0_HARD);
      db.awaitQuiet();
      assertThat(suspended).containsExactly("default");
    }
  }

  @Test
  void nothingIsAskedWhereTheFactoryMakesNoFilterOrNobodyHasIt() {
    try (Db db = open(_ -> null, FILTERED)) {
      db.put(bytes("a"), bytes("drop"));
      db.compact(KeyRange.ALL);
      assertThat(content(db.tree())).containsExactly("a=drop");
    }
    try (Db db = open(null, Options.DEFAULT)) {
      assertThat(db.tree().options().compactionFilter()).isEqualTo("test");
      db.put(bytes("b"), bytes("drop"));
      db.compact(KeyRange.ALL);
      assertThat(content(db.tree())).containsExactly("a=drop", "b=drop");
    }
    try (Db db = open(this::make, Options.DEFAULT)) {
      db.compact(KeyRange.ALL);
      assertThat(content(db.tree())).isEmpty();
    }
  }

  @Test
  void aNameThatNobodyKnowsIsRefused() {
    assertThatThrownBy(() -> open(null, FILTERED))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("compactionFilter 'test'")
        .hasMessageContaining("[]");
    try (Db db = open(this::make, Options.DEFAULT)) {
      assertThatThrownBy(() -> db.openTree("t", TreeOptions.DEFAULT.withCompactionFilter("other")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("compactionFilter 'other'")
          .hasMessageContaining("[test]");
      assertThat(db.treeNames()).containsExactly("default");
    }
    assertThatThrownBy(() -> TreeOptions.DEFAULT.withCompactionFilter("no spaces"))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Components.DEFAULT.withCompactionFilters(Map.of("", this::make)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private Db open(CompactionFilter.Factory factory, TreeOptions defaultTree) {
    return open(factory, Options.builder().defaultTree(defaultTree).build());
  }

  private Db open(CompactionFilter.Factory factory, Options options) {
    EventListener listener =
        new EventListener() {
          @Override
          public void suspended(String tree, Throwable cause) {
            suspended.add(tree);
          }
        };
    Components components =
        Components.DEFAULT
            .withFileSystem(machine.fileSystem())
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(random::nextLong)
            .withListener(listener)
            .withCompactionFilters(factory == null ? Map.of() : Map.of("test", factory));
    return Db.open(DIRECTORY, options, components);
  }

  private static List<String> content(Tree tree) {
    List<String> content = new ArrayList<>();
    try (Cursor cursor = tree.cursor()) {
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        content.add(text(cursor.key()) + "=" + text(cursor.value()));
      }
    }
    return content;
  }

  private static String text(byte[] bytes) {
    return text(bytes, 0, bytes.length);
  }

  private static String text(byte[] bytes, int offset, int length) {
    return new String(bytes, offset, length, UTF_8);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }
}
