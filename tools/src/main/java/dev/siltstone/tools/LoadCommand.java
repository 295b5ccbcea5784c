package dev.siltstone.tools;

import dev.siltstone.engine.Db;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.WriteBatch;
import dev.siltstone.tools.lines.BadLineException;
import dev.siltstone.tools.lines.EntryReader;
import dev.siltstone.tools.lines.LineFormat;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code siltstone load}: reads lines and puts them in batches of bounded size, each as a whole. A
 * bad line ends it before anything of its batch is written.
 */
@Command(
    name = "load",
    description =
        "Puts the entries of a file of lines, in batches that are each applied as a whole.")
final class LoadCommand implements Callable<Integer> {
  /** A batch is written when its keys and values have so many bytes. */
  private static final long BATCH_BYTES = 1 << 20;

  /** Or when it has so many entries. */
  private static final int BATCH_ENTRIES = 10_000;

  /** So many bad lines are told one by one. */
  private static final int BAD_LINES_TOLD = 10;

  /** Part of the heap that one value may take while it is read, copied and written. */
  private static final int HEAP_PARTS = 8;

  private final Terminal terminal;

  @Mixin private StoreOptions store = new StoreOptions();

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "FILE",
      description = "The lines; - is the standard input. Default: -.")
  private String file = LineOptions.STANDARD;

  @Mixin private LineOptions lines = new LineOptions();

  @Option(names = "--skip-bad", description = "Leave bad lines out, count and report them.")
  private boolean skipBad;

  @Mixin private CreateOptions create = new CreateOptions();
  @Mixin private JsonOptions json = new JsonOptions();

  private long entriesRead;
  private long entriesLoaded;
  private long bytesLoaded;
  private long linesBad;

  LoadCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws IOException {
    LineFormat format = lines.format(file);
    create.compression();
    boolean standard = file.equals(LineOptions.STANDARD);
    Path path = Path.of(file);
    if (!standard) {
      requireLines(path);
    }
    if (!create.isSet()) {
      store.requireStore();
    }
    long start = terminal.clock().nanoTime();
    try (InputStream opened = standard ? terminal.in() : Files.newInputStream(path)) {
      EntryReader reader = format.reader(opened, lines.encoding(), limits());
      long total = standard ? 0 : Files.size(path);
      try (Progress progress = new Progress(terminal, "loading " + file)) {
        load(reader, total, progress);
      } catch (BadLineException e) {
        throw new CommandException(
            """
            %s line %d: %s; %s loaded, nothing of the batch that the line is in; mend the line%s\
            """
                .formatted(
                    file,
                    e.line(),
                    e.reason(),
                    Units.entries(entriesLoaded),
                    e.isHeader() ? "" : ", or pass --skip-bad"),
            e);
      }
    }
    report(terminal.clock().nanoTime() - start);
    return ExitCodes.OK;
  }

  private void requireLines(Path path) {
    String wrong =
        !Files.exists(path)
            ? "no file "
            : Files.isDirectory(path)
                ? "a directory and no file of lines: "
                : Files.isReadable(path) ? "" : "not to be read by this user: ";
    if (!wrong.isEmpty()) {
      throw new CommandException(wrong + file + "; - is the standard input");
    }
  }

  /**
   * Loads all entries. The first batch is read before the store is opened, so that nothing is made
   * for lines that turn out to be bad from the beginning.
   */
  private void load(EntryReader reader, long total, Progress progress)
      throws IOException, BadLineException {
    Lines batch = new Lines();
    boolean more = fill(batch, reader, total, progress);
    try (Db db = store.openForManyWrites(create.isSet())) {
      Tree tree = store.tree(db, create);
      WriteBatch writes = db.newBatch();
      write(db, tree, batch, writes);
      while (more) {
        more = fill(batch, reader, total, progress);
        write(db, tree, batch, writes);
      }
      // Whoever reads next would have to read the log first.
      db.flush();
    }
  }

  /** Entries of one batch. */
  private static final class Lines {
    final List<byte[]> keys = new ArrayList<>();
    final List<byte[]> values = new ArrayList<>();
    long bytes;

    void add(byte[] key, byte[] value) {
      keys.add(key);
      values.add(value);
      bytes += key.length + value.length;
    }

    boolean isFull() {
      return bytes >= BATCH_BYTES || keys.size() >= BATCH_ENTRIES;
    }

    void clear() {
      keys.clear();
      values.clear();
      bytes = 0;
    }
  }

  /** Reads entries up to the size of a batch; whether there may be more. */
  private boolean fill(Lines batch, EntryReader reader, long total, Progress progress)
      throws IOException, BadLineException {
    batch.clear();
    while (!batch.isFull()) {
      if (!next(reader)) {
        return false;
      }
      entriesRead++;
      batch.add(reader.key(), reader.value());
      progress.update(entriesRead, reader.position(), total);
    }
    return true;
  }

  /** Reads the next good line, past bad ones if that was asked for. */
  private boolean next(EntryReader reader) throws IOException, BadLineException {
    while (true) {
      try {
        return reader.next();
      } catch (BadLineException e) {
        if (!skipBad || e.isHeader()) {
          throw e;
        }
        linesBad++;
        if (linesBad <= BAD_LINES_TOLD) {
          terminal.note("siltstone: left out " + file + " " + e.getMessage());
        }
      }
    }
  }

  private void write(Db db, Tree tree, Lines batch, WriteBatch writes) {
    writes.clear();
    for (int i = 0; i < batch.keys.size(); i++) {
      writes.put(tree, batch.keys.get(i), batch.values.get(i));
    }
    db.write(writes);
    entriesLoaded += batch.keys.size();
    bytesLoaded += batch.bytes;
  }

  private void report(long nanos) throws IOException {
    if (json.isSet()) {
      terminal
          .out()
          .line(
              new JsonWriter()
                  .object()
                  .member("entries", entriesLoaded)
                  .member("bytes", bytesLoaded)
                  .member("badLines", linesBad)
                  .member("nanos", nanos)
                  .end()
                  .toString());
      return;
    }
    terminal.note(
        "%s (%s) loaded in %s, %s"
            .formatted(
                Units.entries(entriesLoaded),
                Units.bytes(bytesLoaded),
                Units.nanos(nanos),
                Units.rate(entriesLoaded, nanos)));
    if (linesBad > 0) {
      String told =
          linesBad > BAD_LINES_TOLD ? ", of which " + BAD_LINES_TOLD + " are named above" : "";
      terminal.note(Units.count(linesBad, "bad line", "bad lines") + " left out" + told);
    }
  }

  private static EntryReader.Limits limits() {
    long heap = Runtime.getRuntime().maxMemory();
    return new EntryReader.Limits(
        WriteBatch.KEY_BYTES_MAX, (int) Math.min(WriteBatch.VALUE_BYTES_MAX, heap / HEAP_PARTS));
  }
}
