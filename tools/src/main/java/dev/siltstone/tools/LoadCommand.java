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
    boolean standard = file.equals(LineOptions.STANDARD);
    Path path = Path.of(file);
    if (!standard && !Files.isReadable(path)) {
      throw new CommandException("no file " + file + " that can be read; - is the standard input");
    }
    long start = terminal.clock().nanoTime();
    try (InputStream opened = standard ? terminal.in() : Files.newInputStream(path);
        Db db = store.openForManyWrites(create.isSet())) {
      EntryReader reader = format.reader(opened, lines.encoding(), limits());
      Tree tree = store.tree(db, create);
      long total = standard ? 0 : Files.size(path);
      try (Progress progress = new Progress(terminal, "loading " + file)) {
        load(db, tree, reader, total, progress);
        // Whoever reads next would have to read the log first.
        db.flush();
      } catch (BadLineException e) {
        throw new CommandException(
            """
            %s line %d: %s; %s loaded, nothing of the batch that the line is in; \
            mend the line, or pass --skip-bad\
            """
                .formatted(file, e.line(), e.reason(), Units.entries(entriesLoaded)),
            e);
      }
    }
    report(terminal.clock().nanoTime() - start);
    return ExitCodes.OK;
  }

  private void load(Db db, Tree tree, EntryReader reader, long total, Progress progress)
      throws IOException, BadLineException {
    WriteBatch batch = db.newBatch();
    long batchBytes = 0;
    while (next(reader)) {
      entriesRead++;
      batch.put(tree, reader.key(), reader.value());
      batchBytes += reader.key().length + reader.value().length;
      if (batchBytes >= BATCH_BYTES || batch.count() >= BATCH_ENTRIES) {
        write(db, batch, batchBytes);
        batchBytes = 0;
      }
      progress.update(entriesRead, reader.position(), total);
    }
    write(db, batch, batchBytes);
  }

  /** Reads the next good line, past bad ones if that was asked for. */
  private boolean next(EntryReader reader) throws IOException, BadLineException {
    while (true) {
      try {
        return reader.next();
      } catch (BadLineException e) {
        if (!skipBad) {
          throw e;
        }
        linesBad++;
        if (linesBad <= BAD_LINES_TOLD) {
          terminal.note("siltstone: left out " + file + " " + e.getMessage());
        }
      }
    }
  }

  private void write(Db db, WriteBatch batch, long bytes) {
    if (!batch.isEmpty()) {
      db.write(batch);
      entriesLoaded += batch.count();
      bytesLoaded += bytes;
      batch.clear();
    }
  }

  private void report(long nanos) {
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
