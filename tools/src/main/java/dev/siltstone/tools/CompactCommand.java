package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeStats;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code siltstone compact}. */
@Command(
    name = "compact",
    description =
        "Moves a range down to its last level; what is dead is gone from the files afterwards."
            + " Shows the levels before and after.")
final class CompactCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private RangeOptions range = new RangeOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  CompactCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range();
    try (Db db = store.openForFewWrites(false)) {
      Tree tree = store.tree(db);
      TreeStats before = tree.stats();
      long start = terminal.clock().nanoTime();
      tree.compact(keys);
      long nanos = terminal.clock().nanoTime() - start;
      terminal
          .out()
          .print(
              json.isSet() ? json(before, tree.stats(), nanos) : text(before, tree.stats(), nanos));
    }
    return ExitCodes.OK;
  }

  private static String text(TreeStats before, TreeStats after, long nanos) {
    return "before\n"
        + LevelsText.table(before)
        + "\nafter "
        + Units.nanos(nanos)
        + "\n"
        + LevelsText.table(after);
  }

  private static String json(TreeStats before, TreeStats after, long nanos) {
    JsonWriter out = new JsonWriter().object().member("nanos", nanos).array("beforeAndAfter");
    LevelsText.json(out, before);
    LevelsText.json(out, after);
    return out.end().end() + "\n";
  }
}
