package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.WriteBatch;
import java.io.IOException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code siltstone put}. */
@Command(name = "put", description = "Puts a value; it is durable when the command ends.")
final class PutCommand implements Callable<Integer> {
  private static final String STANDARD_INPUT = "-";

  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(index = "1", paramLabel = "KEY", description = "The key.")
  private KeyText key = KeyText.EMPTY;

  @Parameters(
      index = "2",
      paramLabel = "VALUE",
      description = "The value; - reads it, byte for byte, from the standard input.")
  private String value = "";

  @Mixin private CreateOptions create = new CreateOptions();

  /** There is no answer, but a failure may be told in JSON. */
  @Mixin
  @SuppressWarnings("UnusedVariable") // Picocli sees it; Main looks for it among the words.
  private JsonOptions json = new JsonOptions();

  PutCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (key.bytes().length > WriteBatch.KEY_BYTES_MAX) {
      throw CommandException.usage(
          "the key has %s bytes; at most %s are possible"
              .formatted(Units.count(key.bytes().length), Units.count(WriteBatch.KEY_BYTES_MAX)));
    }
    @Nullable KeyText typed = value.equals(STANDARD_INPUT) ? null : KeyText.parse(value);
    // Asked for before anything is read or made.
    create.compression();
    store.requireUsable(create.isSet());
    byte[] bytes = typed == null ? readInput() : typed.bytes();
    try (Db db = store.openForFewWrites(create.isSet())) {
      Tree tree = store.tree(db, create);
      tree.put(key.bytes(), bytes);
      StoreOptions.settle(db);
    }
    return ExitCodes.OK;
  }

  private byte[] readInput() throws IOException {
    byte[] bytes = terminal.in().readNBytes(WriteBatch.VALUE_BYTES_MAX);
    if (bytes.length == WriteBatch.VALUE_BYTES_MAX && terminal.in().read() >= 0) {
      throw new CommandException(
          "the value on the standard input is longer than "
              + Units.bytes(WriteBatch.VALUE_BYTES_MAX));
    }
    return bytes;
  }
}
