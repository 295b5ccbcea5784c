package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.TreeStats;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code siltstone levels}. */
@Command(
    name = "levels",
    description =
        "Shows what each level holds: files, bytes on disk and before compression, entries, and"
            + " how many of these are deletes or obsolete. All trees, unless one is named.")
final class LevelsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  LevelsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    try (Db db = store.openForReading()) {
      List<String> names = store.treeNames(db);
      for (int i = 0; i < names.size(); i++) {
        TreeStats stats = db.tree(names.get(i)).stats();
        if (json.isSet()) {
          JsonWriter out = new JsonWriter();
          LevelsText.json(out, stats);
          terminal.out().line(out.toString());
        } else {
          terminal.out().print((i == 0 ? "" : "\n") + "tree '" + stats.name() + "'\n");
          terminal.out().print(LevelsText.table(stats));
        }
      }
    }
    return ExitCodes.OK;
  }
}
