package dev.siltstone.tools;

import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.ReadOptions;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code siltstone scan}. */
@Command(name = "scan", description = "Prints entries in key order: key, tab, value.")
final class ScanCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private RangeOptions range = new RangeOptions();

  @Option(names = "--limit", paramLabel = "N", description = "Stop after N entries.")
  private long limit = Long.MAX_VALUE;

  @Option(names = "--reverse", description = "From the last key to the first.")
  private boolean reverse;

  @Option(names = "--keys-only", description = "Print keys without values.")
  private boolean keysOnly;

  @Option(
      names = "--explain",
      description = "Say at the end how many dead or older records were stepped over, and where.")
  private boolean explain;

  @Mixin private FormatOptions format = new FormatOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  ScanCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (limit < 0) {
      throw CommandException.usage("--limit takes 0 or more entries, not " + limit);
    }
    format.check();
    KeyRange keys = range.range();
    long start = terminal.clock().nanoTime();
    Steps steps = new Steps();
    long entries = 0;
    try (Db db = store.openForReading();
        Cursor cursor =
            store.tree(db).cursor(ReadOptions.DEFAULT.withRange(keys).withFillCache(false))) {
      boolean more = limit > 0 && (reverse ? cursor.last() : cursor.first());
      steps.note(cursor, more);
      while (more) {
        print(cursor);
        entries++;
        more = entries < limit && (reverse ? cursor.prev() : cursor.next());
        steps.note(cursor, more);
      }
    }
    if (explain) {
      explain(entries, steps, terminal.clock().nanoTime() - start);
    }
    return ExitCodes.OK;
  }

  private void print(Cursor cursor) throws IOException {
    String key = format.key(cursor.key());
    if (json.isSet()) {
      JsonWriter entry = new JsonWriter().object().member("key", key);
      if (!keysOnly) {
        entry.member("value", format.value(cursor.value()));
      }
      terminal.out().line(entry.end().toString());
    } else {
      terminal.out().line(keysOnly ? key : key + "\t" + format.value(cursor.value()));
    }
  }

  private void explain(long entries, Steps steps, long nanos) throws IOException {
    if (json.isSet()) {
      terminal
          .out()
          .line(
              new JsonWriter()
                  .object()
                  .member("entries", entries)
                  .member("steppedOver", steps.all)
                  .member("mostAtOnce", steps.most)
                  .member("mostBeforeKey", steps.mostKey == null ? null : format.key(steps.mostKey))
                  .member("nanos", nanos)
                  .end()
                  .toString());
      return;
    }
    terminal.out().flush();
    String where =
        steps.most == 0
            ? ""
            : ", %s of them in one step %s"
                .formatted(
                    Units.count(steps.most),
                    steps.mostKey == null ? "at the end" : "before " + format.key(steps.mostKey));
    terminal.note(
        "%s in %s; stepped over %s%s"
            .formatted(
                Units.entries(entries),
                Units.nanos(nanos),
                Units.count(steps.all, "dead or older record", "dead or older records"),
                where));
  }

  /** What the cursor has stepped over, in all and at its worst move. */
  private static final class Steps {
    private long all;
    private long most;
    private byte @Nullable [] mostKey;

    void note(Cursor cursor, boolean more) {
      long passed = cursor.steppedOver() - all;
      all += passed;
      if (passed > most) {
        most = passed;
        mostKey = more ? cursor.key() : null;
      }
    }
  }
}
