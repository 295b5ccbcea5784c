package dev.siltstone.engine.version;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.wal.LogFormat;
import dev.siltstone.engine.wal.LogKind;
import dev.siltstone.engine.wal.SegmentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the intact edits of all manifests in a directory tell, if the one in force cannot be read to
 * its end. That is not a state: edits are missing. But each fact holds by itself, since neither ids
 * of trees nor numbers of files are used twice. Writes nothing.
 */
public final class ManifestSalvage {
  private final Map<Integer, Tree> trees = new TreeMap<>();
  private final Set<Integer> dropped = new HashSet<>();
  private final Map<Long, Integer> treeOfFile = new HashMap<>();
  private final Set<Long> removed = new HashSet<>();
  private @Nullable Long storeId;
  private long lastTime;
  private long oldestLog;

  /** How a tree was created; the array is not to be changed. */
  public record Tree(int id, String name, byte[] options) {}

  private ManifestSalvage() {}

  /**
   * Reads what can be read.
   *
   * @param losses is told of damage
   */
  public static ManifestSalvage read(
      FileSystem fileSystem, Path directory, Consumer<CorruptFileException> losses)
      throws IOException {
    NavigableSet<Long> numbers = new TreeSet<>();
    for (String name : fileSystem.list(directory)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == FileNames.Kind.MANIFEST) {
        numbers.add(parsed.number());
      }
    }
    ManifestSalvage salvage = new ManifestSalvage();
    for (long number : numbers) {
      salvage.add(fileSystem, directory.resolve(FileNames.manifest(number)), losses);
    }
    return salvage;
  }

  private void add(FileSystem fileSystem, Path file, Consumer<CorruptFileException> losses)
      throws IOException {
    boolean[] damaged = new boolean[1];
    SegmentReader reader =
        SegmentReader.openDamaged(
            fileSystem,
            file,
            LogKind.MANIFEST,
            fault -> {
              damaged[0] = true;
              losses.accept(fault);
            });
    if (reader == null) {
      return;
    }
    if (!damaged[0]) {
      storeId = reader.header().storeId();
    }
    while (true) {
      if (reader.next()) {
        take(reader, losses);
        continue;
      }
      int damage = reader.end();
      if (!reader.skipDamage(reader.fileBytes())) {
        return;
      }
      losses.accept(
          new CorruptFileException(
              file, damage, (reader.end() - damage) + " bytes hold no intact edit"));
    }
  }

  private void take(SegmentReader reader, Consumer<CorruptFileException> losses)
      throws IOException {
    if (reader.type() != LogFormat.DATA) {
      return;
    }
    int from = reader.payloadOffset();
    try {
      apply(
          ManifestFormat.decode(
              new FieldReader(reader.file(), reader.array(), from, from + reader.payloadLength())));
    } catch (CorruptFileException e) {
      losses.accept(e);
    }
  }

  private void apply(VersionEdit edit) {
    if (edit.snapshot) {
      // It names all that there is: what earlier edits told of and it does not is gone.
      dropped.addAll(trees.keySet());
      removed.addAll(treeOfFile.keySet());
    }
    for (VersionEdit.TreeCreated tree : edit.created) {
      trees.put(tree.id(), new Tree(tree.id(), tree.name(), tree.options()));
      dropped.remove(tree.id());
    }
    for (VersionEdit.FileRemoved file : edit.removed) {
      treeOfFile.put(file.number(), file.tree());
      removed.add(file.number());
    }
    for (VersionEdit.FileAdded file : edit.added) {
      treeOfFile.put(file.file().number(), file.tree());
      removed.remove(file.file().number());
    }
    dropped.addAll(edit.dropped);
    lastTime = Math.max(lastTime, edit.lastTime == null ? 0 : edit.lastTime);
    oldestLog = Math.max(oldestLog, edit.logs == null ? 0 : edit.logs.oldest());
  }

  /** The id of the store; {@code null} if no header can be read. */
  public @Nullable Long storeId() {
    return storeId;
  }

  /** Trees that were created, dropped ones included, by id. */
  public Map<Integer, Tree> trees() {
    return trees;
  }

  /** Whether a tree was dropped. */
  public boolean isDropped(int tree) {
    return dropped.contains(tree);
  }

  /** The tree of a table; {@code null} if no edit tells. */
  public @Nullable Integer treeOf(long table) {
    return treeOfFile.get(table);
  }

  /** Whether a table was replaced or dropped. */
  public boolean isRemoved(long table) {
    return removed.contains(table);
  }

  /** A time that was in use, the greatest that is told; 0 for none. */
  public long lastTime() {
    return lastTime;
  }

  /** Log segments with smaller numbers are not needed; 0 if that is not told. */
  public long oldestLog() {
    return oldestLog;
  }
}
