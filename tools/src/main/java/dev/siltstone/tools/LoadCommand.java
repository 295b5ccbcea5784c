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

  private final List<BadLineException> badLines = new ArrayList<>();
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
    store.requireUsable(create.isSet());
    boolean standard = file.equals(LineOptions.STANDARD);
    Path path = Path.of(file);
    if (!standard && Files.isDirectory(path)) {
      throw CommandException.usage(file + " is a directory; name a file of lines");
    }
    if (!standard && !Files.isReadable(path)) {
      throw CommandException.usage(
          "no file " + file + " that can be read; - is the standard input");
    }
    long start = terminal.clock().nanoTime();
    try (InputStream opened = standard ? terminal.in() : Files.newInputStream(path);
        Progress progress = new Progress(terminal, "loading " + file)) {
      EntryReader reader = format.reader(opened, lines.encoding(), limits());
      load(reader, progress, standard ? 0 : Files.size(path));
    } catch (BadLineException e) {
      throw new CommandException(
          "%s line %d: %s; %s loaded, nothing of the batch that the line is in; %s"
              .formatted(
                  file, e.line(), e.reason(), Units.entries(entriesLoaded), advice(format, e)),
          e);
    }
    report(terminal.clock().nanoTime() - start);
    return ExitCodes.OK;
  }

  private String advice(LineFormat format, BadLineException bad) {
    if (bad.isHeader()) {
      return "begin the file with that line, or say with --as what it is";
    }
    String advice = "mend the line, or pass --skip-bad";
    if (!bad.reason().endsWith("where a hex digit should be")) {
      return advice;
    }
    return advice
        + (format == LineFormat.TSV
            ? "; tsv is always in hex, plain text needs csv or jsonl with --encoding text"
            : "; if the file is plain text, pass --encoding text");
  }

  /** Makes the store, if it has to be made, only when there is a whole batch to put into it. */
  private void load(EntryReader reader, Progress progress, long total)
      throws IOException, BadLineException {
    Entries entries = new Entries();
    boolean more = read(reader, entries, progress, total);
    try (Db db = store.openForManyWrites(create.isSet())) {
      Tree tree = store.tree(db, create);
      WriteBatch batch = db.newBatch();
      while (!entries.keys.isEmpty()) {
        entries.moveTo(batch, tree);
        db.write(batch);
        entriesLoaded += batch.count();
        bytesLoaded += entries.bytes;
        batch.clear();
        entries.bytes = 0;
        if (more) {
          more = read(reader, entries, progress, total);
        }
      }
      // Whoever reads next would have to read the log first.
      db.flush();
    }
  }

  /** What is read and not yet written. */
  private static final class Entries {
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

    void moveTo(WriteBatch batch, Tree tree) {
      for (int i = 0; i < keys.size(); i++) {
        batch.put(tree, keys.get(i), values.get(i));
      }
      keys.clear();
      values.clear();
    }
  }

  /**
   * Reads a batch.
   *
   * @return whether there may be more after it
   */
  private boolean read(EntryReader reader, Entries entries, Progress progress, long total)
      throws BadLineException {
    while (!entries.isFull()) {
      if (!next(reader)) {
        return false;
      }
      entriesRead++;
      entries.add(reader.key(), reader.value());
      progress.update(entriesRead, reader.position(), total);
    }
    return true;
  }

  /** Reads the next good line, past bad ones if that was asked for. */
  private boolean next(EntryReader reader) throws BadLineException {
    while (true) {
      if (terminal.interrupt().isRequested()) {
        throw stopped("interrupted; ");
      }
      try {
        boolean more = reader.next();
        // A read that was waited for may have been the last, since the person was not heard.
        if (terminal.interrupt().isRequested()) {
          throw stopped("interrupted; ");
        }
        return more;
      } catch (BadLineException e) {
        if (!skipBad || e.isHeader()) {
          throw e;
        }
        leaveOut(e);
      } catch (IOException e) {
        String input = file.equals(LineOptions.STANDARD) ? "the standard input" : file;
        throw stopped("cannot read " + input + ": " + e.getMessage() + "; ");
      }
    }
  }

  private CommandException stopped(String why) {
    return new CommandException(
        why
            + Units.entries(entriesLoaded)
            + " loaded, in whole batches; loading it all again does no harm");
  }

  private void leaveOut(BadLineException bad) {
    linesBad++;
    if (linesBad <= BAD_LINES_TOLD) {
      badLines.add(bad);
      if (!json.isSet()) {
        terminal.note("siltstone: left out " + file + " " + bad.getMessage());
      }
    }
  }

  private void report(long nanos) throws IOException {
    if (json.isSet()) {
      terminal.out().line(json(nanos));
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

  private String json(long nanos) {
    JsonWriter out =
        new JsonWriter()
            .object()
            .member("entries", entriesLoaded)
            .member("bytes", bytesLoaded)
            .member("nanos", nanos)
            .member("badLineCount", linesBad)
            .array("badLines");
    for (BadLineException bad : badLines) {
      out.object().member("line", bad.line()).member("what", bad.reason()).end();
    }
    return out.end().end().toString();
  }

  private static EntryReader.Limits limits() {
    long heap = Runtime.getRuntime().maxMemory();
    return new EntryReader.Limits(
        WriteBatch.KEY_BYTES_MAX, (int) Math.min(WriteBatch.VALUE_BYTES_MAX, heap / HEAP_PARTS));
  }
}
