package dev.siltstone.tools;

import dev.siltstone.engine.Cursor;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.KeyRange;
import dev.siltstone.engine.ReadOptions;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeStats;
import dev.siltstone.tools.lines.EntryWriter;
import dev.siltstone.tools.lines.LineFormat;
import dev.siltstone.tools.lines.NotTextException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
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

  @Mixin private JsonOptions json = new JsonOptions();

  DumpCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    LineFormat format = lines.format(file);
    KeyRange keys = range.range();
    boolean standard = file.equals(LineOptions.STANDARD);
    if (standard && json.isSet()) {
      throw CommandException.usage(
          "--json tells what was written to a file; the entries themselves are JSON with --as"
              + " jsonl");
    }
    Path target = standard ? Path.of(file) : target();
    try (Db db = store.openForReading()) {
      Tree tree = store.tree(db);
      if (standard) {
        dump(tree, keys, format, terminal.out());
        return ExitCodes.OK;
      }
      long start = terminal.clock().nanoTime();
      Written written = dumpTo(target, tree, keys, format);
      long nanos = terminal.clock().nanoTime() - start;
      long entries = written.entries;
      if (json.isSet()) {
        terminal.out().line(json(entries, written.bytes, nanos));
        return ExitCodes.OK;
      }
      terminal.note(
          "%s (%s) written in %s, %s"
              .formatted(
                  Units.entries(entries),
                  Units.bytes(written.bytes),
                  Units.nanos(nanos),
                  Units.rate(entries, nanos)));
      return ExitCodes.OK;
    }
  }

  private static String json(long entries, long bytes, long nanos) {
    return new JsonWriter()
        .object()
        .member("entries", entries)
        .member("bytes", bytes)
        .member("nanos", nanos)
        .end()
        .toString();
  }

  /**
   * The file to write, past symbolic links, so that it is what they lead to that is replaced. A
   * name that no file can get, or one that is taken, is refused.
   */
  private Path target() throws IOException {
    Path named = Path.of(file);
    if (Files.isDirectory(named)) {
      throw CommandException.usage(file + " is a directory; name a file");
    }
    if (Files.exists(named)) {
      if (!force) {
        throw CommandException.usage(file + " exists; choose another name, or pass --force");
      }
      return named.toRealPath();
    }
    if (Files.isSymbolicLink(named)) {
      throw CommandException.usage(
          file + " is a symbolic link that leads nowhere; name another file, or remove it");
    }
    Path parent = named.toAbsolutePath().normalize().getParent();
    if (parent != null && !Files.isDirectory(parent)) {
      throw CommandException.usage("no directory " + parent + " to write into; make it first");
    }
    return named;
  }

  /** What a file was given. */
  private record Written(long entries, long bytes) {}

  private Written dumpTo(Path target, Tree tree, KeyRange keys, LineFormat format)
      throws IOException {
    if (Files.exists(target) && !Files.isRegularFile(target)) {
      // A device or a pipe takes the lines as they come; a file in its place would be none.
      try (Output out = new Output(Files.newOutputStream(target, StandardOpenOption.WRITE))) {
        return new Written(dump(tree, keys, format, out), out.bytes());
      }
    }
    Part part = Part.beside(target);
    try {
      Written written;
      try (Output out = new Output(part.out)) {
        written = new Written(dump(tree, keys, format, out), out.bytes());
      }
      Files.move(part.path, target, StandardCopyOption.REPLACE_EXISTING);
      return written;
    } finally {
      Files.deleteIfExists(part.path);
    }
  }

  /**
   * A file that grows beside the one that it will be.
   *
   * @param path its name, which was free
   * @param out where its bytes go
   */
  private record Part(Path path, OutputStream out) {
    static Part beside(Path target) throws IOException {
      for (int i = 0; ; i++) {
        Path path = target.resolveSibling(target.getFileName() + ".part" + (i == 0 ? "" : i));
        try {
          return new Part(
              path,
              Files.newOutputStream(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
        } catch (FileAlreadyExistsException e) {
          // Somebody else's, or left by a dump that was killed: either is theirs to remove.
        }
      }
    }
  }

  private long dump(Tree tree, KeyRange keys, LineFormat format, Output out) throws IOException {
    EntryWriter writer = format.writer(out, lines.encoding());
    // Dead entries are counted too, so a dump is done earlier than foretold.
    TreeStats stats = tree.stats();
    long total = range.isGiven() ? 0 : stats.tableEntries() + stats.memtableEntries();
    long entries = 0;
    try (Progress progress = new Progress(terminal, "dumping " + store.directory());
        Cursor cursor = tree.cursor(ReadOptions.DEFAULT.withRange(keys).withFillCache(false))) {
      writer.begin();
      for (boolean more = cursor.first(); more; more = cursor.next()) {
        if (terminal.interrupt().isRequested()) {
          throw new CommandException(
              "interrupted; "
                  + (file.equals(LineOptions.STANDARD)
                      ? Units.entries(entries) + " written"
                      : file + " is not written"));
        }
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
