package dev.siltstone.tools;

import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.ReadOptions;
import dev.siltstone.engine.Tree;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code siltstone verify}: opens the store for reading and reads every entry of every tree. */
@Command(
    name = "verify",
    description =
        "Reads everything and reports damage with file and offset. Exit status 1 if there is any.")
final class VerifyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  private final List<DbException.Corrupt> damages = new ArrayList<>();
  private long entries;
  private long bytes;

  VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    long start = terminal.clock().nanoTime();
    int trees = 0;
    try (Db db = store.openForReading()) {
      List<String> names = store.treeNames(db);
      trees = names.size();
      for (String name : names) {
        verify(db.tree(name));
      }
    } catch (DbException.Corrupt e) {
      // Neither the manifest nor the log can be read past damage.
      damages.add(e);
    }
    long nanos = terminal.clock().nanoTime() - start;
    terminal.out().print(json.isSet() ? json(trees, nanos) : text(trees, nanos));
    return damages.isEmpty() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  /** Reads a tree to its end, or to the first damage, beyond which a cursor cannot go. */
  private void verify(Tree tree) {
    try (Progress progress = new Progress(terminal, "verifying " + tree);
        Cursor cursor = tree.cursor(ReadOptions.DEFAULT.withFillCache(false))) {
      long total = entries + tree.stats().tableEntries() + tree.stats().memtableEntries();
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        entries++;
        bytes += cursor.keySegment().byteSize() + cursor.valueSegment().byteSize();
        progress.update(entries, entries, total);
      }
    } catch (DbException.Corrupt e) {
      damages.add(e);
    }
  }

  private String text(int trees, long nanos) {
    StringBuilder out = new StringBuilder();
    for (DbException.Corrupt damage : damages) {
      out.append("damage: ").append(damage.getMessage()).append('\n');
    }
    out.append(
        "%s: %s, %s (%s) read in %s\n"
            .formatted(
                damages.isEmpty() ? "sound" : Units.count(damages.size(), "damage", "damages"),
                Units.count(trees, "tree", "trees"),
                Units.entries(entries),
                Units.bytes(bytes),
                Units.nanos(nanos)));
    return out.toString();
  }

  private String json(int trees, long nanos) {
    JsonWriter out =
        new JsonWriter()
            .object()
            .member("sound", damages.isEmpty())
            .member("trees", trees)
            .member("entries", entries)
            .member("bytes", bytes)
            .member("nanos", nanos)
            .array("damages");
    for (DbException.Corrupt damage : damages) {
      out.object()
          .member("file", damage.file().toString())
          .member("offset", damage.offset())
          .member("what", damage.getMessage())
          .end();
    }
    return out.end().end() + "\n";
  }
}
