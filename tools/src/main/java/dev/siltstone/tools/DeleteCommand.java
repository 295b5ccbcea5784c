package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.WriteBatch;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code siltstone del}. */
@Command(
    name = "del",
    description =
        "Deletes keys, or a range of keys, together or not at all. A key that is absent is no"
            + " error.")
final class DeleteCommand implements Callable<Integer> {
  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(index = "1..*", paramLabel = "KEY", description = "Keys to delete.")
  private @Nullable List<KeyText> keys;

  @Mixin private RangeOptions range = new RangeOptions();

  /** There is no answer, but a failure may be told in JSON. */
  @Mixin
  @SuppressWarnings("UnusedVariable") // Picocli sees it; Main looks for it among the words.
  private JsonOptions json = new JsonOptions();

  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    List<KeyText> given = keys == null ? List.of() : keys;
    if (given.isEmpty() && !range.isGiven()) {
      throw new ParameterException(
          Objects.requireNonNull(spec).commandLine(),
          "say what to delete: keys, or a range with --from, --to or --prefix");
    }
    KeyRange keys = range.range();
    try (Db db = store.openForFewWrites(false)) {
      Tree tree = store.tree(db);
      WriteBatch batch = db.newBatch();
      for (KeyText key : given) {
        batch.delete(tree, key.bytes());
      }
      if (range.isGiven()) {
        batch.deleteRange(tree, keys);
      }
      db.write(batch);
      StoreOptions.settle(db);
    }
    return ExitCodes.OK;
  }
}
