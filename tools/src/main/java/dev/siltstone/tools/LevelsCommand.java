package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeStats;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code siltstone levels}. */
@Command(
    name = "levels",
    description =
        "Shows what each level holds: files, bytes on disk and before compression, entries, and how"
            + " many of these are deletes or obsolete; with --files, each table file. All trees,"
            + " unless one is named.")
final class LevelsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  @Option(
      names = "--files",
      description = "Show the table files too: their keys, times and how they are built.")
  private boolean files;

  LevelsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    try (Db db = store.openForReading()) {
      List<String> names = store.treeNames(db);
      for (int i = 0; i < names.size(); i++) {
        Tree tree = db.tree(names.get(i));
        TreeStats stats = tree.stats();
        if (json.isSet()) {
          JsonWriter out = new JsonWriter();
          LevelsText.json(out, stats, files ? tree.files() : List.of());
          terminal.out().line(out.toString());
        } else {
          terminal.out().print((i == 0 ? "" : "\n") + "tree '" + stats.name() + "'\n");
          terminal.out().print(LevelsText.table(stats));
          if (files) {
            terminal.out().print("\n" + FilesText.table(tree.files()));
          }
        }
      }
    }
    return ExitCodes.OK;
  }
}
