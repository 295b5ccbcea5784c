package dev.siltstone.engine.check;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.blob.BlobFiles;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableFooter;
import dev.siltstone.engine.table.TableIdentity;
import dev.siltstone.engine.table.TableProperties;
import dev.siltstone.engine.table.TableVerifier;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.LiveFiles;
import dev.siltstone.engine.version.ObsoleteFiles;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.LogTail;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks all files of a store, and goes on after a fault. What this process cannot read for want of
 * a compressor, of a newer version or of a permission is told as that, and is no fault.
 *
 * <ol>
 *   <li>The manifest, to its end; that levels from 1 on are disjoint is a part of reading it.
 *   <li>Every table that it names, by {@link TableVerifier}, and that the manifest says the same of
 *       it as the file itself.
 *   <li>Every blob that a table or a record of the log refers to.
 *   <li>The log, as recovery reads it.
 *   <li>Files that nobody needs are noted.
 * </ol>
 *
 * <p>Without a manifest every table and every log segment in the directory is checked for itself.
 *
 * <p><b>Beside a writer.</b> Tables and blobs never change, but may be removed once nobody needs
 * them: what is missing is a fault only if the present state names it still. Manifest and log are
 * written meanwhile: see {@link Findings#confirmed}.
 *
 * <p>Memory: see {@link TableVerifier}; the manifest and its state; one log segment; the numbers of
 * all blobs. Used once, by one thread.
 */
public final class StoreCheck {
  /** So many faults are told in full; more are only counted. */
  public static final int FAULTS_MAX = 10_000;

  private final Place place;
  private final @Nullable Live live;
  private final Findings findings;

  /** Numbers of the blobs that were checked. */
  private final Set<Long> blobsChecked = new HashSet<>();

  private CheckReport.Count tables = CheckReport.Count.NONE;
  private CheckReport.Count blobs = CheckReport.Count.NONE;
  private CheckReport.Count logs = CheckReport.Count.NONE;
  private CheckReport.Count manifests = CheckReport.Count.NONE;
  private int trees;

  /** What was read last of the manifest, and how long that was then. */
  private @Nullable VersionSet read;

  private long readBytes;

  /**
   * Where the files are and what is needed to read them.
   *
   * @param random any numbers
   */
  public record Place(
      FileSystem fileSystem, Path directory, Compressors compressors, LongSupplier random) {
    Path path(String name) {
      return directory.resolve(name);
    }
  }

  /** What a store knows that this process has open for writing. */
  public interface Live {
    /** The state that was published last. */
    StoreState state();

    /** How far the log is durable, now. */
    LogTail durable();

    /** Names of the files that nobody needs. */
    List<String> obsolete() throws IOException;
  }

  /** Is told how far a check is. */
  @FunctionalInterface
  public interface Watcher {
    /** Whether to go on, with so many bytes read. */
    boolean proceed(Path file, long bytes, long bytesTotal);
  }

  private StoreCheck(Place place, @Nullable Live live, Watcher watcher) throws IOException {
    this.place = place;
    this.live = live;
    this.findings = new Findings(place.fileSystem, place.directory, watcher);
  }

  /**
   * Checks a store.
   *
   * @param live the store, if this process has it open for writing; the caller has pinned its state
   * @throws NoSuchFileException if there is no store
   */
  public static CheckReport run(Place place, @Nullable Live live, Watcher watcher)
      throws IOException {
    StoreCheck check = new StoreCheck(place, live, watcher);
    boolean complete = false;
    try {
      check.run();
      complete = true;
    } catch (StoppedException e) {
      // What was found until here is told.
    }
    Findings findings = check.findings;
    return new CheckReport(
        complete,
        check.trees,
        check.tables,
        check.blobs,
        check.logs,
        check.manifests,
        findings.faults(),
        findings.faultCount(),
        findings.unchecked(),
        findings.notes());
  }

  private void run() throws IOException {
    VersionSet versions = findings.confirmed(this::readManifest);
    if (versions == null) {
      checkWithoutManifest();
      return;
    }
    StoreState state = live == null ? versions.state() : live.state();
    trees = state.trees().size();
    Path manifest = place.path(FileNames.manifest(versions.manifestNumber()));
    long bytes = Findings.size(place.fileSystem, manifest);
    findings.progress(manifest, bytes);
    checkTables(state, versions.storeId());
    manifests = manifests.plus(1, bytes, tables.files());
    LogCheck log = new LogCheck(place, findings, this::latest, live);
    log.run(versions.storeId());
    logs = log.count();
    for (LogCheck.Reference reference : log.references()) {
      Found found = new Found();
      checkBlob(reference.blob(), versions.storeId(), found);
      if (!found.isEmpty() && isUnflushed(reference)) {
        found.tell(findings);
      }
    }
    note(versions, state, log);
  }

  private VersionSet readManifest() throws IOException {
    if (!VersionSet.exists(place.fileSystem, place.directory)) {
      throw new NoSuchFileException(place.directory.toString(), null, "holds no store");
    }
    // Before the look, so that what is appended meanwhile makes it longer.
    long newest = newestManifest();
    long bytes = newest == 0 ? 0 : manifestBytes(newest);
    read = null;
    VersionSet versions = VersionSet.open(place.fileSystem, place.directory, place.random);
    if (versions.manifestNumber() == newest) {
      read = versions;
      readBytes = bytes;
    }
    return versions;
  }

  /** The greatest number of a manifest or a marker; 0 without any. */
  private long newestManifest() throws IOException {
    long newest = 0;
    for (String name : place.fileSystem.list(place.directory)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null
          && (parsed.kind() == FileNames.Kind.MANIFEST
              || parsed.kind() == FileNames.Kind.CURRENT)) {
        newest = Math.max(newest, parsed.number());
      }
    }
    return newest;
  }

  private long manifestBytes(long number) throws IOException {
    return Findings.size(place.fileSystem, place.path(FileNames.manifest(number)));
  }

  /** The state of this moment, as far as it can be told. */
  private StoreState latest() throws IOException {
    Live store = live;
    VersionSet last = read;
    if (store != null) {
      return store.state();
    }
    // The manifest of many long keys may be most of what fits in memory: not twice.
    if (last != null
        && newestManifest() == last.manifestNumber()
        && manifestBytes(last.manifestNumber()) == readBytes) {
      return last.state();
    }
    return readManifest().state();
  }

  private void checkTables(StoreState state, long storeId) throws IOException {
    List<TreeState> sorted = new ArrayList<>(state.all());
    sorted.sort(Comparator.comparingInt(TreeState::id));
    for (TreeState tree : sorted) {
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          checkTable(tree, level, file, storeId);
        }
      }
    }
  }

  private void checkTable(TreeState tree, int level, FileMeta file, long storeId)
      throws IOException {
    Path path = place.path(FileNames.table(file.number()));
    Found found = new Found();
    TableProperties properties =
        checkTable(path, new TableIdentity(storeId, file.number()), file.bytes(), found);
    String difference = properties == null ? null : file.difference(properties);
    if (difference != null) {
      found.faults.add(new CorruptFileException(path, -1, "by the manifest " + difference));
    }
    if (!found.isEmpty()) {
      // The records that refer to them may not have been found.
      for (long blob : file.blobs()) {
        Path name = place.path(FileNames.blob(blob));
        if (!blobsChecked.contains(blob) && !place.fileSystem.exists(name)) {
          found.add(name, new NoSuchFileException(name.toString()));
        }
      }
    }
    if (!found.isEmpty() && isNeeded(file.number())) {
      found.tell(findings);
      findings.note(
          path, "holds level %d of tree '%s', keys [%s)".formatted(level, tree.name(), keys(file)));
    }
  }

  private static String keys(FileMeta file) {
    String text = file.toString();
    return text.substring(text.indexOf('[') + 1, text.length() - 1);
  }

  private @Nullable TableProperties checkTable(
      Path path, TableIdentity identity, long bytes, Found found) throws IOException {
    try {
      TableProperties properties =
          TableVerifier.verify(
              place.fileSystem,
              path,
              identity,
              bytes,
              place.compressors,
              new TableWatcher(path, identity.storeId(), found));
      if (properties != null) {
        tables =
            tables.plus(
                1, properties.fileBytes(), properties.entries() + properties.rangeDeletes());
      }
      return properties;
    } catch (StoppedException e) {
      throw e;
    } catch (IOException e) {
      found.add(path, e);
      return null;
    }
  }

  /** What was found in one file, and in the blobs that it refers to. */
  private static final class Found {
    private final List<CorruptFileException> faults = new ArrayList<>();
    private final Map<Path, IOException> unchecked = new LinkedHashMap<>();

    /** Takes what keeps a file from being read; the check goes on with others. */
    void add(Path path, IOException failure) {
      switch (failure) {
        case CorruptFileException corrupt -> faults.add(corrupt);
        case UnsupportedFileException _, AccessDeniedException _ -> unchecked.put(path, failure);
        case NoSuchFileException _ -> fault(path, "missing; the manifest names it", failure);
        default -> fault(path, "cannot be read: " + failure, failure);
      }
    }

    private void fault(Path path, String what, IOException cause) {
      CorruptFileException fault = new CorruptFileException(path, -1, what);
      fault.initCause(cause);
      faults.add(fault);
    }

    boolean isEmpty() {
      return faults.isEmpty() && unchecked.isEmpty();
    }

    void tell(Findings findings) {
      faults.forEach(findings::fault);
      unchecked.forEach(findings::unchecked);
    }
  }

  /** Collects the faults of one table, and checks the blobs that it refers to. */
  private final class TableWatcher implements TableVerifier.Watcher {
    private final Path path;
    private final long storeId;
    private final Found found;

    TableWatcher(Path path, long storeId, Found found) {
      this.path = path;
      this.storeId = storeId;
      this.found = found;
    }

    @Override
    public void fault(CorruptFileException fault) {
      if (found.faults.size() < FAULTS_MAX) {
        found.faults.add(fault);
      }
    }

    @Override
    public void reference(BlobReference reference, long offset) throws IOException {
      checkBlob(reference, storeId, found);
    }

    @Override
    public void progress(long bytes) throws IOException {
      findings.progress(path, bytes);
    }
  }

  private void checkBlob(BlobReference reference, long storeId, Found found) throws IOException {
    if (!blobsChecked.add(reference.fileNumber())) {
      return;
    }
    Path path = place.path(FileNames.blob(reference.fileNumber()));
    try {
      BlobFiles files = new BlobFiles(place.fileSystem, place.directory, storeId, () -> 0);
      long bytes = files.verify(reference, found.faults::add);
      blobs = blobs.plus(1, bytes, 1);
      findings.progress(path, bytes);
    } catch (StoppedException e) {
      throw e;
    } catch (IOException e) {
      found.add(path, e);
    }
  }

  /** Whether the present state names a table. */
  private boolean isNeeded(long number) {
    try {
      for (TreeState tree : latest().all()) {
        for (int level = 0; level < Version.LEVELS; level++) {
          for (FileMeta file : tree.version().level(level)) {
            if (file.number() == number) {
              return true;
            }
          }
        }
      }
      return false;
    } catch (IOException e) {
      // It was needed when the check began, and nothing says otherwise.
      return true;
    }
  }

  /** Whether a record of the log is still in no table, or its tree is still there. */
  private boolean isUnflushed(LogCheck.Reference reference) {
    try {
      TreeState tree = latest().tree(reference.treeId());
      return tree != null && tree.flushedTime() < reference.time();
    } catch (IOException e) {
      return true;
    }
  }

  private void checkWithoutManifest() throws IOException {
    List<String> names = new ArrayList<>(place.fileSystem.list(place.directory));
    names.sort(null);
    for (String name : names) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == FileNames.Kind.TABLE) {
        Path path = place.path(name);
        Found found = new Found();
        try {
          long storeId = TableFooter.read(place.fileSystem, path).storeId();
          checkTable(path, new TableIdentity(storeId, parsed.number()), -1, found);
        } catch (StoppedException e) {
          throw e;
        } catch (IOException e) {
          found.add(path, e);
        }
        found.tell(findings);
      }
    }
    LogCheck log = new LogCheck(place, findings, () -> null, live);
    log.checkEach(0, null);
  }

  private void note(VersionSet versions, StoreState state, LogCheck log) throws IOException {
    List<String> names = place.fileSystem.list(place.directory);
    List<String> obsolete;
    if (live == null) {
      Set<Long> numbers = new HashSet<>();
      state.addFileNumbers(numbers);
      log.addFileNumbers(names, numbers);
      obsolete = ObsoleteFiles.among(names, new LiveFiles(numbers, versions.manifestNumber(), 0));
    } else {
      obsolete = live.obsolete();
    }
    for (String name : obsolete) {
      findings.note(
          place.path(name),
          "left over and harmless; removed when the store is next open for writing");
    }
    for (long foreign : log.foreign()) {
      findings.note(place.path(FileNames.log(foreign)), "a log segment of another store or number");
    }
    for (String name : names) {
      if (FileNames.parse(name) == null) {
        findings.note(place.path(name), "not a file of a store");
      }
    }
  }
}
