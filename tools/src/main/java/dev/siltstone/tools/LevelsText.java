package dev.siltstone.tools;

import dev.siltstone.engine.TableFile;
import dev.siltstone.engine.TreeStats;
import dev.siltstone.engine.TreeStats.LevelStats;
import java.util.List;

/** The levels of a tree, for a person and for a program. */
final class LevelsText {
  private LevelsText() {}

  /** A table of the levels that hold files, what the memtables hold above them, the sum below. */
  static String table(TreeStats tree) {
    Table table =
        new Table(
            "level", ">files", ">bytes", ">raw", ">entries", ">deletes", ">obsolete", ">ranges");
    if (tree.memtableEntries() > 0) {
      table.row(
          "memory",
          "-",
          Units.bytes(tree.memtableBytes()),
          "-",
          Units.count(tree.memtableEntries()),
          "-",
          "-",
          "-");
    }
    Sum sum = new Sum();
    for (LevelStats level : tree.levels()) {
      if (level.files() > 0) {
        row(table, Integer.toString(level.level()), level);
        sum.add(level);
      }
    }
    row(table, "all files", sum.level());
    return table.text();
  }

  private static void row(Table table, String name, LevelStats level) {
    table.row(
        name,
        Units.count(level.files()),
        Units.bytes(level.bytes()),
        Units.bytes(level.rawBytes()),
        Units.count(level.entries()),
        Units.percent(level.deletes(), level.entries()),
        Units.percent(level.obsolete(), level.entries()),
        Units.count(level.rangeDeletes()));
  }

  /** One object: the tree, its memtables and every level that holds files. */
  static void json(JsonWriter json, TreeStats tree) {
    json(json, tree, List.of());
  }

  /** The same, with table files if there are any. */
  static void json(JsonWriter json, TreeStats tree, List<TableFile> files) {
    json.object()
        .member("tree", tree.name())
        .member("memtableBytes", tree.memtableBytes())
        .member("memtableEntries", tree.memtableEntries())
        .member("sealedMemtables", tree.sealedMemtables())
        .array("levels");
    for (LevelStats level : tree.levels()) {
      if (level.files() > 0) {
        json.object()
            .member("level", level.level())
            .member("files", level.files())
            .member("bytes", level.bytes())
            .member("rawBytes", level.rawBytes())
            .member("entries", level.entries())
            .member("deletes", level.deletes())
            .member("rangeDeletes", level.rangeDeletes())
            .member("obsolete", level.obsolete())
            .member("expiring", level.expiring())
            .end();
      }
    }
    json.end();
    if (!files.isEmpty()) {
      FilesText.json(json, files);
    }
    json.end();
  }

  /** All levels of a tree as if they were one; its number says nothing. */
  static LevelStats sum(TreeStats tree) {
    Sum sum = new Sum();
    tree.levels().forEach(sum::add);
    return sum.level();
  }

  private static final class Sum {
    private LevelStats sum = new LevelStats(0, 0, 0, 0, 0, 0, 0, 0, 0);

    void add(LevelStats level) {
      sum =
          new LevelStats(
              0,
              sum.files() + level.files(),
              sum.bytes() + level.bytes(),
              sum.rawBytes() + level.rawBytes(),
              sum.entries() + level.entries(),
              sum.deletes() + level.deletes(),
              sum.rangeDeletes() + level.rangeDeletes(),
              sum.obsolete() + level.obsolete(),
              sum.expiring() + level.expiring());
    }

    LevelStats level() {
      return sum;
    }
  }
}
