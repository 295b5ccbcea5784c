package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.RepairReport;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code siltstone repair}: makes a new store of what can be read, by {@link Db#repair}. */
@Command(
    name = "repair",
    description =
        "Makes a new store of everything that can be read of a damaged one, which is not changed"
            + " and must not be open for writing. Exit status 1 if anything was lost; the new store"
            + " is whole all the same.")
final class RepairCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(index = "0", paramLabel = "DAMAGED", description = "The damaged store.")
  private Path damaged = Path.of("");

  @Parameters(
      index = "1",
      paramLabel = "TARGET",
      description = "Where the new store is made: a directory that is missing or empty.")
  private Path target = Path.of("");

  @Mixin private JsonOptions json = new JsonOptions();

  RepairCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    StoreOptions.requireRemains(damaged);
    StoreOptions.requireDirectory(target);
    requireEmpty(target);
    long start = terminal.clock().nanoTime();
    RepairReport report;
    try {
      report = Db.repair(damaged, target, Options.DEFAULT, StoreOptions.COMPONENTS);
    } catch (IllegalArgumentException e) {
      throw CommandException.usage(e.getMessage() + "; choose another directory");
    }
    long nanos = terminal.clock().nanoTime() - start;
    terminal.out().print(json.isSet() ? json(report, nanos) : text(report, nanos));
    return report.isComplete() ? ExitCodes.OK : ExitCodes.FAILED;
  }

  private static void requireEmpty(Path target) throws IOException {
    if (!Files.isDirectory(target)) {
      return;
    }
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(target)) {
      if (entries.iterator().hasNext()) {
        throw CommandException.usage(target + " is not empty; choose another directory");
      }
    }
  }

  private static String text(RepairReport report, long nanos) {
    StringBuilder out = new StringBuilder();
    for (RepairReport.Loss loss : report.losses()) {
      out.append(loss.isHarmless() ? "damage: " : "lost: ").append(loss);
      if (loss.tree() != null) {
        out.append("; tree '").append(loss.tree()).append('\'');
      }
      if (!loss.isHarmless() && (loss.from() != null || loss.to() != null)) {
        out.append(", keys ").append(bound(loss.from())).append(" to ").append(bound(loss.to()));
      }
      out.append('\n');
    }
    for (String note : report.notes()) {
      out.append("note: ").append(note).append('\n');
    }
    Table table = new Table("tree", ">entries", ">ranges", ">bytes");
    for (RepairReport.RepairedTree tree : report.trees()) {
      table.row(
          tree.name(),
          Units.count(tree.entries()),
          Units.count(tree.rangeDeletes()),
          Units.bytes(tree.bytes()));
    }
    out.append(table.text());
    long lost = report.losses().stream().filter(loss -> !loss.isHarmless()).count();
    out.append(
        "%s: %s, %s of the log, %s read in %s\n"
            .formatted(
                report.isComplete() ? "all saved" : Units.count(lost, "loss", "losses"),
                Units.count(report.tablesRead(), "table", "tables"),
                Units.count(report.logRecords(), "record", "records"),
                Units.count(report.blobs(), "blob", "blobs"),
                Units.nanos(nanos)));
    return out.toString();
  }

  private static String bound(byte @Nullable [] key) {
    return key == null ? "any" : KeyText.Format.AUTO.of(key);
  }

  private static String json(RepairReport report, long nanos) {
    JsonWriter out =
        new JsonWriter()
            .object()
            .member("complete", report.isComplete())
            .member("manifestRead", report.manifestRead())
            .member("tablesRead", report.tablesRead())
            .member("tablesDamaged", report.tablesDamaged())
            .member("logRecords", report.logRecords())
            .member("blobs", report.blobs())
            .member("nanos", nanos)
            .array("trees");
    for (RepairReport.RepairedTree tree : report.trees()) {
      out.object()
          .member("tree", tree.name())
          .member("entries", tree.entries())
          .member("rangeDeletes", tree.rangeDeletes())
          .member("bytes", tree.bytes())
          .end();
    }
    out.end().member("lossCount", report.lossCount()).array("losses");
    for (RepairReport.Loss loss : report.losses()) {
      out.object()
          .member("file", loss.file().toString())
          .member("offset", loss.offset())
          .member("tree", loss.tree())
          .member("from", text(loss.from()))
          .member("to", text(loss.to()))
          .member("harmless", loss.isHarmless())
          .member("what", loss.what())
          .end();
    }
    out.end().array("notes");
    report.notes().forEach(out::text);
    return out.end().end() + "\n";
  }

  private static @Nullable String text(byte @Nullable [] key) {
    return key == null ? null : KeyText.Format.AUTO.of(key);
  }
}
