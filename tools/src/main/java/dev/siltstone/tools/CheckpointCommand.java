package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code siltstone checkpoint}. */
@Command(
    name = "checkpoint",
    description =
        "Makes a copy of the store that opens like any other. Files are shared by hard links where"
            + " the file system has them, and copied where not; original and copy never change each"
            + " other. TARGET appears complete, or not at all.")
final class CheckpointCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "The directory of the copy; it must not exist yet.")
  private Path target = Path.of("");

  @Mixin private JsonOptions json = new JsonOptions();

  CheckpointCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    if (store.treeName() != null) {
      throw CommandException.usage("a checkpoint holds all trees of a store; leave out --tree");
    }
    if (Files.exists(target)) {
      throw CommandException.usage(
          target + " exists already; a checkpoint needs a directory that does not");
    }
    StoreOptions.requireDirectory(target);
    int trees;
    long nanos;
    try (Db db = store.openForFewWrites(false)) {
      trees = db.treeNames().size();
      long start = terminal.clock().nanoTime();
      try {
        db.checkpoint(target);
      } catch (IllegalArgumentException e) {
        throw CommandException.usage(String.valueOf(e.getMessage()));
      }
      nanos = terminal.clock().nanoTime() - start;
    }
    StoreFiles made = StoreFiles.in(target);
    long files = made.of(FileNames.Kind.TABLE).files() + made.of(FileNames.Kind.BLOB).files();
    terminal
        .out()
        .line(
            json.isSet()
                ? json(trees, files, made.bytes(), nanos)
                : Units.count(trees, "tree", "trees")
                    + " ("
                    + Units.bytes(made.bytes())
                    + ") linked or copied in "
                    + Units.nanos(nanos));
    return ExitCodes.OK;
  }

  private static String json(int trees, long files, long bytes, long nanos) {
    return new JsonWriter()
        .object()
        .member("trees", trees)
        .member("files", files)
        .member("bytes", bytes)
        .member("nanos", nanos)
        .end()
        .toString();
  }
}
