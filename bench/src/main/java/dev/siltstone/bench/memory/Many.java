package dev.siltstone.bench.memory;

import dev.siltstone.bench.report.Units;
import dev.siltstone.bench.work.Keys;
import dev.siltstone.bench.work.Scramble;
import dev.siltstone.bench.work.Values;
import dev.siltstone.bench.work.WrongAnswerException;
import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbStats;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeOptions;
import dev.siltstone.engine.WriteBatch;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Very many trees and cursors in one store: what each takes, and that memtables of all trees stay
 * within their share of the budget and open files within their bound.
 */
final class Many implements Trial {
  private static final int TREES = 200;
  private static final int CURSORS = 1000;
  private static final int VALUE_BYTES = 100;
  private static final int BATCH = 50;
  private static final int FILES_MAX = 64;

  /** Files of a process that are none of the store's tables: the JVM's, log, lock, outputs. */
  private static final int OTHER_FILES = 64;

  private static final long TREE_BYTES_MAX = 16 << 10;
  private static final long CURSOR_BYTES_MAX = 192 << 10;

  private final Values values = new Values(VALUE_BYTES);
  private long memtablesMost;
  private long filesMost;

  @Override
  public void run(Path directory, Size size, Report report) throws IOException {
    Options options = Options.builder().maxOpenFiles(FILES_MAX).build();
    try (Db db = Db.open(directory, options)) {
      report.phase("open", 1, db);
      long before = Report.liveBytes();
      List<Tree> trees = new ArrayList<>();
      for (int i = 0; i < TREES; i++) {
        trees.add(db.openTree("tree " + i, TreeOptions.DEFAULT));
      }
      report.phase("make trees", TREES, db);
      require("an empty tree", (Report.liveBytes() - before) / TREES, TREE_BYTES_MAX, report);
      fill(db, trees, size.entries());
      report.phase("fill", size.entries(), db);
      long share = db.options().memoryBytes() / 100 * 40;
      require("memtables at most", memtablesMost, share + db.options().memtableBytes(), report);
      for (Tree tree : trees) {
        tree.compact(KeyRange.ALL);
      }
      cursors(trees, size.entries(), report);
      report.phase("move cursors", CURSORS, db);
      report.line("  %-28s %10d", "open files at most", filesMost);
      if (filesMost > FILES_MAX + OTHER_FILES) {
        throw new IllegalStateException(filesMost + " files are open, of " + FILES_MAX);
      }
    }
  }

  private void fill(Db db, List<Tree> trees, long entries) throws IOException {
    Scramble order = new Scramble(entries, 1);
    WriteBatch batch = db.newBatch();
    for (long i = 0; i < entries; i++) {
      long number = order.at(i);
      batch.put(tree(trees, number), Keys.key(number), values.value(number, 0));
      if (batch.count() == BATCH || i == entries - 1) {
        db.write(batch);
        batch.clear();
      }
      if (i % 5000 == 0) {
        DbStats stats = db.stats();
        memtablesMost = Math.max(memtablesMost, stats.memtableBytes());
        countFiles();
      }
    }
  }

  /** Opens all cursors, has them stand in the middle of their trees, and moves them on in turn. */
  private void cursors(List<Tree> trees, long entries, Report report) throws IOException {
    long before = Report.liveBytes();
    List<Cursor> cursors = new ArrayList<>();
    try {
      for (int i = 0; i < CURSORS; i++) {
        Cursor cursor = trees.get(i % TREES).cursor();
        cursors.add(cursor);
        cursor.seek(Keys.key(entries / CURSORS * i));
      }
      require("a cursor", (Report.liveBytes() - before) / CURSORS, CURSOR_BYTES_MAX, report);
      for (int step = 0; step < 100; step++) {
        for (Cursor cursor : cursors) {
          if (cursor.valid() && cursor.next() && cursor.value().length != VALUE_BYTES) {
            throw new WrongAnswerException("a value of " + cursor.value().length + " bytes");
          }
        }
      }
      countFiles();
      require("a cursor, moved", (Report.liveBytes() - before) / CURSORS, CURSOR_BYTES_MAX, report);
    } finally {
      cursors.forEach(Cursor::close);
    }
  }

  private static Tree tree(List<Tree> trees, long number) {
    return trees.get((int) (number % TREES));
  }

  private void countFiles() throws IOException {
    long count = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
      for (Path _ : files) {
        count++;
      }
    }
    filesMost = Math.max(filesMost, count);
  }

  private static void require(String what, long bytes, long most, Report report) {
    report.line("  %-28s %10s of %s", what, Units.bytes(bytes), Units.bytes(most));
    if (bytes > most) {
      throw new IllegalStateException(what + " takes " + bytes + " bytes, more than " + most);
    }
  }
}
