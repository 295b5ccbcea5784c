package dev.siltstone.tools;

import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.ReadOptions;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeStats;
import dev.siltstone.tools.lines.EntryWriter;
import dev.siltstone.tools.lines.LineFormat;
import dev.siltstone.tools.lines.NotTextException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code siltstone dump}: writes the entries of one moment as lines. A file gets its name when it
 * is whole.
 */
@Command(
    name = "dump",
    description = "Writes entries as lines that 'load' reads, as of one moment.")
final class DumpCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "Where to write; - is the standard output. Default: -.")
  private String file = LineOptions.STANDARD;

  @Mixin private LineOptions lines = new LineOptions();
  @Mixin private RangeOptions range = new RangeOptions();

  @Option(names = "--force", description = "Replace the file if it exists.")
  private boolean force;

  DumpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    LineFormat format = lines.format(file);
    try (Db db = store.openForReading()) {
      Tree tree = store.tree(db);
      if (file.equals(LineOptions.STANDARD)) {
        dump(tree, format, terminal.out());
        return ExitCodes.OK;
      }
      Path target = Path.of(file);
      if (Files.exists(target) && !force) {
        throw new CommandException(file + " exists; choose another name, or pass --force");
      }
      long start = terminal.clock().nanoTime();
      long entries = dumpTo(target, tree, format);
      long nanos = terminal.clock().nanoTime() - start;
      terminal.note(
          "%s (%s) written in %s, %s"
              .formatted(
                  Units.entries(entries),
                  Units.bytes(Files.size(target)),
                  Units.nanos(nanos),
                  Units.rate(entries, nanos)));
      return ExitCodes.OK;
    }
  }

  private long dumpTo(Path target, Tree tree, LineFormat format) throws IOException {
    Path part = target.resolveSibling(target.getFileName() + ".part");
    try {
      long entries;
      try (Output out = new Output(Files.newOutputStream(part))) {
        entries = dump(tree, format, out);
      }
      Files.move(part, target, StandardCopyOption.REPLACE_EXISTING);
      return entries;
    } finally {
      Files.deleteIfExists(part);
    }
  }

  private long dump(Tree tree, LineFormat format, Output out) throws IOException {
    EntryWriter writer = format.writer(out, lines.encoding());
    // Dead entries are counted too, so a dump is done earlier than foretold.
    TreeStats stats = tree.stats();
    long total = range.isGiven() ? 0 : stats.tableEntries() + stats.memtableEntries();
    long entries = 0;
    try (Progress progress = new Progress(terminal, "dumping " + store.directory());
        Cursor cursor =
            tree.cursor(ReadOptions.DEFAULT.withRange(range.range()).withFillCache(false))) {
      writer.begin();
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        writer.write(cursor.key(), cursor.value());
        entries++;
        progress.update(entries, entries, total);
      }
    } catch (NotTextException e) {
      throw new CommandException(
          e.getMessage()
              + "; pass --encoding hex or base64 ("
              + Units.entries(entries)
              + " written before it)",
          e);
    }
    out.flush();
    return entries;
  }
}
