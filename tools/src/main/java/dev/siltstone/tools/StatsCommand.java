package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Snapshot;
import dev.siltstone.engine.TreeStats;
import dev.siltstone.engine.TreeStats.LevelStats;
import dev.siltstone.engine.file.FileNames.Kind;
import java.io.IOException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code siltstone stats}: what the store is at this moment, without a process of its own. */
@Command(
    name = "stats",
    description = "Shows what the store consists of: its trees, its files, its newest write.")
final class StatsCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  StatsCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    try (Db db = store.openForReading()) {
      List<String> names = store.treeNames(db);
      List<TreeStats> trees = new ArrayList<>();
      for (String name : names) {
        trees.add(db.tree(name).stats());
      }
      StoreFiles files = StoreFiles.in(store.directory());
      String owner = StoreFiles.owner(store.directory());
      Instant newest;
      try (Snapshot snapshot = db.snapshot()) {
        newest = snapshot.time().truncatedTo(ChronoUnit.MILLIS);
      }
      if (json.isSet()) {
        terminal.out().line(json(trees, files, owner, newest));
      } else {
        terminal.out().print(text(trees, files, owner, newest));
      }
    }
    return ExitCodes.OK;
  }

  private String text(
      List<TreeStats> trees, StoreFiles files, @Nullable String owner, Instant newest) {
    Table treeTable =
        new Table("tree", ">entries", ">deletes", ">in log", ">files", ">bytes", ">raw", ">ratio");
    for (TreeStats tree : trees) {
      LevelStats all = LevelsText.sum(tree);
      treeTable.row(
          tree.name(),
          Units.count(all.entries() + tree.memtableEntries()),
          Units.percent(all.deletes(), all.entries()),
          Units.count(tree.memtableEntries()),
          Units.count(all.files()),
          Units.bytes(all.bytes()),
          Units.bytes(all.rawBytes()),
          Units.percent(all.bytes(), all.rawBytes()));
    }
    Table fileTable = new Table("kind", ">files", ">bytes");
    for (Kind kind : Kind.values()) {
      StoreFiles.Usage usage = files.of(kind);
      if (usage.bytes() > 0) {
        fileTable.row(name(kind), Units.count(usage.files()), Units.bytes(usage.bytes()));
      }
    }
    return "store         "
        + store.directory().toAbsolutePath().normalize()
        + "\nwritten by    "
        + (owner == null ? "nobody now" : owner)
        + "\nnewest write  "
        + newest
        + "\non disk       "
        + Units.bytes(files.bytes())
        + "\n\n"
        + treeTable.text()
        + "\n"
        + fileTable.text();
  }

  private static String name(Kind kind) {
    return switch (kind) {
      case TABLE -> "table";
      case BLOB -> "blob";
      case LOG -> "log";
      case TEMPORARY -> "temporary";
      case MANIFEST -> "manifest";
      case CURRENT -> "current";
      case OPTIONS -> "options";
      case LOCK -> "lock";
    };
  }

  private String json(
      List<TreeStats> trees, StoreFiles files, @Nullable String owner, Instant newest) {
    JsonWriter out =
        new JsonWriter()
            .object()
            .member("directory", store.directory().toAbsolutePath().normalize().toString())
            .member("writtenBy", owner)
            .member("newestWrite", newest.toString())
            .member("bytesOnDisk", files.bytes())
            .array("trees");
    trees.forEach(tree -> LevelsText.json(out, tree));
    out.end().object("files");
    for (Kind kind : Kind.values()) {
      StoreFiles.Usage usage = files.of(kind);
      out.object(name(kind)).member("files", usage.files()).member("bytes", usage.bytes()).end();
    }
    return out.end().end().toString();
  }
}
