package dev.siltstone.engine.version;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.engine.file.FileNames;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The trees of a store and the files they consist of, in memory and in the manifest.
 *
 * <p>An edit is checked against the state, made durable in the manifest, and only then published as
 * a new immutable {@link StoreState}. Readers take a state by one volatile read; who reads files
 * for longer pins it, and no file that a pinned state names is ever swept.
 *
 * <p>A manifest in force is never appended to by a later process: each open writes one of its own,
 * so that a torn tail is cut off for good.
 *
 * <p><b>Failure.</b> If an edit cannot be appended, a fresh manifest that contains it is tried
 * once. If that fails too, nothing is published and it is open which state the next open will find;
 * until a later edit succeeds no file may be deleted ({@link #mayDelete}), neither the inputs nor
 * the outputs of the job that failed. A full disk lets later edits try again; after any other
 * failure the set takes no more edits.
 *
 * <p><b>Threads.</b> All methods are safe for concurrent use. {@link #apply} blocks other edits
 * while it syncs, and nobody else.
 */
public final class VersionSet implements Closeable {
  /** A manifest is not replaced before it has this length. */
  static final long ROTATE_BYTES_MIN = 4 << 20;

  /** Nor before it is this many times as long as with its first edit. */
  static final int ROTATE_RATIO = 4;

  private final FileSystem fileSystem;
  private final Path directory;
  private final LongSupplier uniqueIds;
  private final long storeId;
  private final long rotateBytesMin;
  private final AtomicLong nextFileNumber;
  private final AtomicInteger nextTreeId;

  /** Held while an edit is made durable. Taken before {@link #pinLock}. */
  private final ReentrantLock editLock = new ReentrantLock();

  /** Guards {@link #pins} and the publication of {@link #state}; never held across file access. */
  private final ReentrantLock pinLock = new ReentrantLock();

  private final IdentityHashMap<StoreState, Integer> pins = new IdentityHashMap<>();
  private volatile StoreState state;

  // Guarded by editLock.
  private @Nullable ManifestWriter writer;
  private long manifestNumber;
  private boolean begun;
  private boolean closed;

  /** Set while the manifest on disk may hold an edit that was not published, or lack one. */
  private volatile boolean unsure;

  private @Nullable IOException failure;

  private VersionSet(
      FileSystem fileSystem,
      Path directory,
      LongSupplier uniqueIds,
      ManifestReader.Contents from,
      long rotateBytesMin) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.uniqueIds = uniqueIds;
    this.storeId = from.storeId();
    this.rotateBytesMin = rotateBytesMin;
    this.nextFileNumber = new AtomicLong(from.nextFileNumber());
    this.nextTreeId = new AtomicInteger(from.state().nextTreeId());
    this.manifestNumber = from.number();
    this.state = from.state();
  }

  /**
   * Whether a directory holds a store.
   *
   * @throws CorruptFileException if it holds files of a store but no manifest
   */
  public static boolean exists(FileSystem fileSystem, Path directory) throws IOException {
    return ManifestReader.find(fileSystem, directory) != 0;
  }

  /**
   * Makes a store without trees in a directory that exists and holds none. Its manifest is durable
   * when this returns; other files of the store may be made only after that.
   *
   * @param storeId random id of the store
   * @param uniqueIds gives random numbers, one for each manifest
   */
  public static VersionSet create(
      FileSystem fileSystem, Path directory, long storeId, LongSupplier uniqueIds)
      throws IOException {
    if (exists(fileSystem, directory)) {
      throw new IllegalStateException(directory + " holds a store already");
    }
    long next = 1 + greatestNumber(fileSystem.list(directory));
    VersionSet set =
        new VersionSet(
            fileSystem,
            directory,
            uniqueIds,
            new ManifestReader.Contents(storeId, 0, next, StoreState.EMPTY),
            ROTATE_BYTES_MIN);
    set.begin(new VersionEdit());
    return set;
  }

  /**
   * Makes a store of tables and blobs that are in a directory already, durable under their names:
   * writes the manifest, and puts it in force. Until that is done the directory holds no store that
   * could be opened.
   *
   * @param storeId that the files were written with
   * @param content creates the trees and adds the files
   */
  public static void build(
      FileSystem fileSystem,
      Path directory,
      long storeId,
      LongSupplier uniqueIds,
      VersionEdit content)
      throws IOException {
    long next = 1 + greatestNumber(fileSystem.list(directory));
    try (VersionSet set =
        new VersionSet(
            fileSystem,
            directory,
            uniqueIds,
            new ManifestReader.Contents(storeId, 0, next, StoreState.EMPTY),
            ROTATE_BYTES_MIN)) {
      set.begin(content);
    }
  }

  /**
   * Reads the manifest of a store and writes nothing. {@link #begin} must come before edits; a
   * store that is only read does without.
   *
   * @throws CorruptFileException if the manifest is missing or damaged; see {@link #checkFiles} for
   *     the other files
   * @throws dev.siltstone.base.io.UnsupportedFileException if a newer version wrote it
   */
  public static VersionSet open(FileSystem fileSystem, Path directory, LongSupplier uniqueIds)
      throws IOException {
    return open(fileSystem, directory, uniqueIds, ROTATE_BYTES_MIN);
  }

  static VersionSet open(
      FileSystem fileSystem, Path directory, LongSupplier uniqueIds, long rotateBytesMin)
      throws IOException {
    long number = ManifestReader.find(fileSystem, directory);
    if (number == 0) {
      throw new NoSuchFileException(directory.toString(), null, "holds no store");
    }
    ManifestReader.Contents found = ManifestReader.read(fileSystem, directory, number);
    // Files of jobs that a crash cut off have numbers that no edit tells of.
    long next = Math.max(found.nextFileNumber(), 1 + greatestNumber(fileSystem.list(directory)));
    return new VersionSet(
        fileSystem,
        directory,
        uniqueIds,
        new ManifestReader.Contents(found.storeId(), number, next, found.state()),
        rotateBytesMin);
  }

  /** The random id of the store. */
  public long storeId() {
    return storeId;
  }

  /** The state that was published last. */
  public StoreState state() {
    return state;
  }

  /** A number that no file of the store ever had or will have. */
  public long newFileNumber() {
    return nextFileNumber.getAndIncrement();
  }

  /** An id that no tree of the store ever had or will have. */
  public int newTreeId() {
    return nextTreeId.getAndIncrement();
  }

  /**
   * Checks that all files are there: each table with its length, each blob by name.
   *
   * @throws CorruptFileException that names all that are not
   */
  public void checkFiles() throws IOException {
    Set<String> names = new HashSet<>(fileSystem.list(directory));
    List<String> wrong = new ArrayList<>();
    for (TreeState tree : state.all()) {
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          checkFile(file, names, wrong);
        }
      }
    }
    if (!wrong.isEmpty()) {
      throw new CorruptFileException(
          directory.resolve(wrong.getFirst().substring(0, wrong.getFirst().indexOf(' '))),
          -1,
          wrong.size() + " files: " + String.join(", ", wrong));
    }
  }

  private void checkFile(FileMeta file, Set<String> names, List<String> wrong) throws IOException {
    String name = FileNames.table(file.number());
    if (!names.contains(name)) {
      wrong.add(name + " missing");
    } else {
      long bytes = fileSystem.size(directory.resolve(name));
      if (bytes != file.bytes()) {
        wrong.add(name + " has " + bytes + " bytes instead of " + file.bytes());
      }
    }
    for (long blob : file.blobs()) {
      if (!names.contains(FileNames.blob(blob))) {
        wrong.add(FileNames.blob(blob) + " missing");
      }
    }
  }

  /**
   * Begins to take edits: applies the first one and writes a manifest of this open. Until this
   * returns, no file that the old manifest names may change.
   *
   * @return the state with the edit
   */
  public StoreState begin(VersionEdit edit) throws IOException {
    editLock.lock();
    try {
      if (begun) {
        throw new IllegalStateException("begun already");
      }
      StoreState next = next(edit);
      begun = true;
      makeDurable(next, null);
      return publish(next);
    } finally {
      editLock.unlock();
    }
  }

  /**
   * Makes an edit durable and publishes the state with it.
   *
   * @return that state
   * @throws IllegalArgumentException if the edit does not fit the state; nothing has changed
   * @throws IOException if it could not be made durable; see the class description
   */
  public StoreState apply(VersionEdit edit) throws IOException {
    editLock.lock();
    try {
      checkUsable();
      StoreState next = next(edit);
      makeDurable(next, edit);
      return publish(next);
    } finally {
      editLock.unlock();
    }
  }

  /**
   * Whether files may be deleted: not while it is open which state the next open will find, nor
   * before {@link #begin}.
   */
  public boolean mayDelete() {
    editLock.lock();
    try {
      return begun && !unsure && !closed;
    } finally {
      editLock.unlock();
    }
  }

  /** Whether no edit will ever be taken again. */
  public boolean isBroken() {
    editLock.lock();
    try {
      return failure != null;
    } finally {
      editLock.unlock();
    }
  }

  /**
   * Takes the state that is current now and keeps all its files from being swept until {@link
   * #unpin}.
   */
  public StoreState pin() {
    pinLock.lock();
    try {
      StoreState current = state;
      pins.merge(current, 1, Integer::sum);
      return current;
    } finally {
      pinLock.unlock();
    }
  }

  /** Pins a state that is pinned already once more. */
  public void pinAgain(StoreState pinned) {
    pinLock.lock();
    try {
      if (pins.computeIfPresent(pinned, (_, count) -> count + 1) == null) {
        throw new IllegalStateException("not pinned");
      }
    } finally {
      pinLock.unlock();
    }
  }

  /** Gives back one {@link #pin}. */
  public void unpin(StoreState pinned) {
    pinLock.lock();
    try {
      if (!pins.containsKey(pinned)) {
        throw new IllegalStateException("not pinned");
      }
      pins.computeIfPresent(pinned, (_, count) -> count == 1 ? null : count - 1);
    } finally {
      pinLock.unlock();
    }
  }

  /**
   * The files that the current state and pinned ones name, and those in {@code others}. Waits for
   * an edit that is being made durable.
   *
   * @param others numbers that were in use by jobs, memtables and the log <em>before</em> this call
   * @param options number of the newest options file
   */
  LiveFiles liveFiles(Collection<Long> others, long options) {
    editLock.lock();
    try {
      Set<Long> numbers = new HashSet<>(others);
      pinLock.lock();
      try {
        state.addFileNumbers(numbers);
        for (StoreState pinned : pins.keySet()) {
          pinned.addFileNumbers(numbers);
        }
      } finally {
        pinLock.unlock();
      }
      return new LiveFiles(numbers, manifestNumber, options);
    } finally {
      editLock.unlock();
    }
  }

  FileSystem fileSystem() {
    return fileSystem;
  }

  Path directory() {
    return directory;
  }

  /** Number of the manifest in force. */
  public long manifestNumber() {
    editLock.lock();
    try {
      return manifestNumber;
    } finally {
      editLock.unlock();
    }
  }

  /**
   * Writes a manifest of its own for a copy of the store, and puts it in force there; all names of
   * the directory are durable when this returns. Changes nothing of this store.
   *
   * @param target a directory that holds the files of {@code copy} and no manifest
   * @param copy the state of the copy, whose files have numbers of this store
   */
  public void writeCopy(Path target, StoreState copy) throws IOException {
    ManifestWriter manifest = write(target, copy);
    try (manifest) {
      manifest.putInForce(fileSystem, target);
    }
  }

  /** Closes the manifest. All edits are durable already. Idempotent. */
  @Override
  public void close() throws IOException {
    editLock.lock();
    try {
      closed = true;
      ManifestWriter open = writer;
      writer = null;
      if (open != null) {
        open.close();
      }
    } finally {
      editLock.unlock();
    }
  }

  // ---- Edits; the edit lock is held
  // ---------------------------------------------------------------

  private void checkUsable() throws IOException {
    if (!begun) {
      throw new IllegalStateException("not begun");
    }
    if (closed) {
      throw new IOException("the manifest is closed");
    }
    IOException before = failure;
    if (before != null) {
      throw new IOException("the manifest could not be written before", before);
    }
  }

  /** Completes an edit and gives the state after it. */
  private StoreState next(VersionEdit edit) {
    StateBuilder builder = new StateBuilder(state);
    builder.apply(edit);
    StoreState next = builder.build();
    for (VersionEdit.FileAdded file : edit.added) {
      if (file.file().number() >= nextFileNumber.get()) {
        throw new IllegalArgumentException("a number that was not given out: " + file);
      }
    }
    assert StateBuilder.isConsistent(next, nextFileNumber.get());
    edit.nextFileNumber = nextFileNumber.get();
    edit.nextTreeId = next.nextTreeId();
    return next;
  }

  private StoreState publish(StoreState next) {
    pinLock.lock();
    try {
      state = next;
      return next;
    } finally {
      pinLock.unlock();
    }
  }

  /**
   * Brings an edit into a manifest.
   *
   * @param edit {@code null} to write a fresh manifest in any case
   */
  @SuppressWarnings("CatchingUnchecked") // Passed on, once it is noted that the outcome is open.
  private void makeDurable(StoreState next, @Nullable VersionEdit edit) throws IOException {
    try {
      if (edit == null || (!rotated(next) && !appended(edit))) {
        replace(next);
      }
    } catch (RuntimeException | Error e) {
      // The manifest may hold the edit, or a part of it. Another edit after it might not fit.
      unsure = true;
      failure = new IOException("failed while writing the manifest", e);
      throw e;
    }
  }

  private boolean appended(VersionEdit edit) {
    ManifestWriter open = writer;
    if (open == null) {
      return false;
    }
    try {
      open.append(edit);
      return true;
    } catch (IOException e) {
      // Whether the edit is in the old manifest is open now; a fresh one decides it.
      unsure = true;
      writer = null;
      closeQuietly(open);
      return false;
    }
  }

  /** Replaces a manifest that has grown too long. */
  private boolean rotated(StoreState next) throws IOException {
    ManifestWriter open = writer;
    if (open == null
        || open.bytes() < Math.max(rotateBytesMin, ROTATE_RATIO * open.snapshotBytes())) {
      return false;
    }
    ManifestWriter fresh;
    try {
      fresh = write(directory, next);
    } catch (IOException e) {
      // The old one is still in force and grows on.
      return false;
    }
    writer = null;
    closeQuietly(open);
    putInForce(fresh);
    return true;
  }

  /** Writes a fresh manifest with the state {@code next} and puts it in force. */
  private void replace(StoreState next) throws IOException {
    ManifestWriter fresh;
    try {
      fresh = write(directory, next);
    } catch (IOException e) {
      throw failed(e);
    }
    putInForce(fresh);
  }

  private ManifestWriter write(Path target, StoreState next) throws IOException {
    long number = newFileNumber();
    VersionEdit snapshot = VersionEdit.snapshotOf(next);
    snapshot.nextFileNumber = nextFileNumber.get();
    return ManifestWriter.create(
        fileSystem,
        target,
        ManifestWriter.header(storeId, number, uniqueIds.getAsLong()),
        snapshot);
  }

  private void putInForce(ManifestWriter fresh) throws IOException {
    unsure = true;
    try {
      fresh.putInForce(fileSystem, directory);
    } catch (IOException e) {
      closeQuietly(fresh);
      throw failed(e);
    }
    long old = manifestNumber;
    writer = fresh;
    manifestNumber = fresh.number();
    unsure = false;
    if (old != 0) {
      removeQuietly(FileNames.current(old));
      removeQuietly(FileNames.manifest(old));
    }
  }

  private IOException failed(IOException cause) {
    unsure = true;
    if (!(cause instanceof NoSpaceException)) {
      failure = cause;
    }
    return cause;
  }

  private void removeQuietly(String name) {
    try {
      fileSystem.remove(directory.resolve(name));
    } catch (IOException e) {
      // It is obsolete: the next sweep of obsolete files removes it.
    }
  }

  private static void closeQuietly(ManifestWriter writer) {
    try {
      writer.close();
    } catch (IOException e) {
      // Its edits were durable, or count as failed.
    }
  }

  private static long greatestNumber(Collection<String> names) {
    long greatest = 0;
    for (String name : names) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null) {
        greatest = Math.max(greatest, parsed.number());
      }
    }
    return greatest;
  }
}
