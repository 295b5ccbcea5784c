package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Verification;
import dev.siltstone.engine.VerifyOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code siltstone verify}: reads all files of a store, by {@link Db#verify}. */
@Command(
    name = "verify",
    description =
        "Reads all files and reports all damage with file and offset, also while a program writes"
            + " the store. Exit status 1 if there is any.")
final class VerifyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "DIR", description = "The directory of the store.")
  private Path directory = Path.of("");

  @Mixin private JsonOptions json = new JsonOptions();

  VerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions.requireRemains(directory);
    long start = terminal.clock().nanoTime();
    Verification found = verify();
    long nanos = terminal.clock().nanoTime() - start;
    terminal.out().print(json.isSet() ? json(found, nanos) : text(found, nanos));
    return found.isSound() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private Verification verify() {
    try (Progress progress = new Progress(terminal, "verifying " + directory)) {
      return Db.verify(
          directory,
          StoreOptions.COMPONENTS,
          VerifyOptions.DEFAULT.withProgress(
              (_, bytes, total) -> {
                progress.updateBytes(bytes, total);
                return true;
              }));
    }
  }

  private static String text(Verification found, long nanos) {
    StringBuilder out = new StringBuilder();
    for (Verification.Problem problem : found.problems()) {
      out.append("damage: ").append(problem).append('\n');
    }
    for (Verification.Unchecked file : found.unchecked()) {
      out.append("not checked: ").append(file.file()).append(": ").append(file.what()).append('\n');
    }
    for (Verification.Note note : found.notes()) {
      out.append("note: ").append(note.file()).append(": ").append(note.what()).append('\n');
    }
    Table table = new Table("checked", ">files", ">bytes", ">entries");
    row(table, "table", found.tables());
    row(table, "blob", found.blobs());
    row(table, "log", found.logs());
    row(table, "manifest", found.manifests());
    out.append(table.text());
    out.append(
        "%s: %s, %s read in %s\n"
            .formatted(
                verdict(found),
                Units.count(found.trees(), "tree", "trees"),
                Units.bytes(found.bytes()),
                Units.nanos(nanos)));
    return out.toString();
  }

  /** What it comes to, in a few words. */
  static String verdict(Verification found) {
    if (found.problemCount() > 0) {
      return Units.count(found.problemCount(), "damage", "damages");
    }
    return found.unchecked().isEmpty()
        ? "sound"
        : "no damage found, "
            + Units.count(found.unchecked().size(), "file", "files")
            + " not checked";
  }

  private static void row(Table table, String kind, Verification.Checked checked) {
    if (checked.files() > 0) {
      table.row(
          kind,
          Units.count(checked.files()),
          Units.bytes(checked.bytes()),
          Units.count(checked.entries()));
    }
  }

  private static String json(Verification found, long nanos) {
    JsonWriter out =
        new JsonWriter()
            .object()
            .member("sound", found.isSound())
            .member("trees", found.trees())
            .member("nanos", nanos);
    checked(out, "tables", found.tables());
    checked(out, "blobs", found.blobs());
    checked(out, "logs", found.logs());
    checked(out, "manifests", found.manifests());
    out.member("damageCount", found.problemCount()).array("damages");
    for (Verification.Problem problem : found.problems()) {
      out.object()
          .member("file", problem.file().toString())
          .member("offset", problem.offset())
          .member("what", problem.what())
          .end();
    }
    out.end().array("unchecked");
    for (Verification.Unchecked file : found.unchecked()) {
      out.object().member("file", file.file().toString()).member("what", file.what()).end();
    }
    out.end().array("notes");
    for (Verification.Note note : found.notes()) {
      out.object().member("file", note.file().toString()).member("what", note.what()).end();
    }
    return out.end().end() + "\n";
  }

  private static void checked(JsonWriter out, String name, Verification.Checked checked) {
    out.object(name)
        .member("files", checked.files())
        .member("bytes", checked.bytes())
        .member("entries", checked.entries())
        .end();
  }
}
