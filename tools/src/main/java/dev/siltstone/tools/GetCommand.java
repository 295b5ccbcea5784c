package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Tree;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code siltstone get}. */
@Command(name = "get", description = "Prints the value of a key. Exit status 1 if there is none.")
final class GetCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
  private KeyText key = KeyText.EMPTY;

  @Option(names = "--raw", description = "Write the bytes of the value as they are.")
  private boolean raw;

  @Mixin private FormatOptions format = new FormatOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  GetCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    format.check();
    try (Db db = store.openForReading()) {
      Tree tree = store.tree(db);
      byte[] value = tree.get(key.bytes());
      Output out = terminal.out();
      if (json.isSet()) {
        String text = value == null ? null : format.value(value);
        JsonWriter answer =
            new JsonWriter()
                .object()
                .member("key", format.key(key.bytes()))
                .member("found", value != null)
                .member("value", text);
        out.line(answer.end().toString());
      } else if (value == null) {
        terminal.note(
            "siltstone: no key "
                + format.key(key.bytes())
                + " in tree '"
                + tree.name()
                + "' of "
                + store.directory()
                + key.hint());
      } else if (raw) {
        out.write(value);
      } else {
        out.line(format.value(value));
      }
      return value == null ? ExitCodes.FAILED : ExitCodes.OK;
    }
  }
}
