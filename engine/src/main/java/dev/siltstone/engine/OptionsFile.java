package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.version.StoreFormat;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;

/**
 * The options of one open as text, for people and for those who help them. Written anew at each
 * open for writing, under its true name only when it is complete; never read back: what holds is in
 * the manifest and in the program.
 */
final class OptionsFile {
  private final StringBuilder text = new StringBuilder();

  private OptionsFile() {}

  /** Writes the file of that number; the number is used for nothing else. */
  static void write(FileSystem fileSystem, long number, long storeId, Store.Core core)
      throws IOException {
    byte[] bytes = text(storeId, core).getBytes(UTF_8);
    Path unfinished = core.directory().resolve(FileNames.temporary(number));
    try (WritableFile file = fileSystem.create(unfinished)) {
      file.write(bytes, 0, bytes.length);
      file.sync();
    }
    // The directory is not synced: after a power loss the file of an earlier open does as well.
    fileSystem.rename(unfinished, core.directory().resolve(FileNames.options(number)));
  }

  static String text(long storeId, Store.Core core) {
    OptionsFile file = new OptionsFile();
    file.text.append(
        """
        # Options of a Siltstone store at one open, for people. Written at every open, never read:
        # change options in the program, or with the siltstone tools.
        """);
    file.open(storeId, core);
    file.store(core.options());
    file.components(core);
    List<OpenTree> trees = new ArrayList<>(core.trees().all());
    trees.sort(Comparator.comparing(OpenTree::name));
    trees.forEach(file::tree);
    return file.text.toString();
  }

  private void open(long storeId, Store.Core core) {
    long micros = core.components().clock().wallMicros();
    section("open");
    line("time", Instant.EPOCH.plusNanos(TimeUnit.MICROSECONDS.toNanos(micros)));
    line("store_id", "%016x".formatted(storeId));
    line("store_format", StoreFormat.VERSION);
  }

  private void store(Options options) {
    section("store");
    line("create_if_missing", options.createIfMissing());
    line("error_if_exists", options.errorIfExists());
    line("durability", options.durability());
    line("sync_interval_millis", options.syncInterval().toMillis());
    line("memory_bytes", options.memoryBytes());
    line("memtable_bytes", options.memtableBytes());
    line("log_segment_bytes", options.logSegmentBytes());
    line("table_bytes", options.tableBytes());
    line("level_base_bytes", options.levelBaseBytes());
    line("level_fanout", options.levelFanout());
    line("separate_value_bytes", options.separateValueBytes());
    line("max_open_files", options.maxOpenFiles());
    line("compaction_threads", options.compactionThreads());
    line("automatic_compaction", options.automaticCompaction());
    line("gap_memo", options.gapMemo());
  }

  private void components(Store.Core core) {
    section("components");
    line("compressors", String.join(", ", core.compressors().names()));
    line(
        "compaction_filters",
        String.join(", ", new TreeSet<>(core.components().compactionFilters().keySet())));
  }

  private void tree(OpenTree tree) {
    section("tree " + quoted(tree.name()));
    line("id", tree.id());
    text.append(new String(StoredTreeOptions.encode(tree.options(), tree.subtreesName()), UTF_8));
  }

  private void section(String title) {
    text.append("\n[").append(title).append("]\n");
  }

  private void line(String name, Object value) {
    text.append(name).append(" = ").append(value).append('\n');
  }

  /** A name within quotes, on one line whatever it is. */
  private static String quoted(String name) {
    StringBuilder quoted = new StringBuilder("\"");
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      if (c == '"' || c == '\\') {
        quoted.append('\\').append(c);
      } else if (Character.isISOControl(c) || c == '\u2028' || c == '\u2029') {
        quoted.append("\\u%04x".formatted((int) c));
      } else {
        quoted.append(c);
      }
    }
    return quoted.append('"').toString();
  }
}
