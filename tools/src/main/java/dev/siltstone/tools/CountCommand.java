package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code siltstone count}. */
@Command(name = "count", description = "Counts live entries, by reading them.")
final class CountCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();
  @Mixin private RangeOptions range = new RangeOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  CountCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    KeyRange keys = range.range();
    try (Db db = store.openForReading()) {
      long entries = store.tree(db).count(keys);
      terminal
          .out()
          .line(
              json.isSet()
                  ? new JsonWriter().object().member("entries", entries).end().toString()
                  : Units.entries(entries));
      return ExitCodes.OK;
    }
  }
}
