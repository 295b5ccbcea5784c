package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.key.UpperBound;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableWriter;
import dev.siltstone.engine.table.TableWriterOptions;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes puts and deletes of one tree, sorted by key, to a file that {@link Tree#ingest} takes into
 * a store. Needs no store, so that the work of sorting and encoding can be done elsewhere.
 *
 * {@snippet :
 * try (TableFileWriter writer = TableFileWriter.create(Path.of("users.table"))) {
 *   writer.put(bytes("user:1"), bytes("ada"));
 *   writer.put(bytes("user:2"), bytes("grace"));
 *   writer.finish();
 * }
 * db.tree().ingest(List.of(Path.of("users.table")));
 * }
 *
 * <p>Keys must ascend as unsigned bytes, each at most once. A range delete hides what the tree held
 * before the file was ingested, not what the file itself puts; it may come at any time.
 *
 * <p>The file appears under its name, durable, when {@link #finish} returns, and never takes the
 * place of another. Until then it is written beside, with {@code .incomplete} added, and nobody
 * else can write a file of that name: {@code .lock} beside it is locked. What a process that died
 * has left of both is cleared away by the next writer. Arguments are copied before a method
 * returns.
 *
 * <p>Limits: keys of 0 to 65,536 bytes, values of 0 to 2^30 bytes. Memory: a block and its index,
 * and all range deletes. Not safe for concurrent use.
 *
 * <p>Errors: {@link DbException.Unavailable} when the file cannot be written, after which the
 * writer can only be closed; {@link IllegalArgumentException} for a key out of order or over its
 * limit, which leaves the writer as it was.
 */
public final class TableFileWriter implements AutoCloseable {
  /** Added to the name of a file that is not finished. */
  private static final String SUFFIX = ".incomplete";

  /** Added to the name of the file that is locked while one is written. */
  private static final String LOCK_SUFFIX = ".lock";

  /** The number of every file that is not part of a store; its store id is a random number. */
  private static final long FILE_NUMBER = 1;

  private final FileSystem fileSystem;
  private final Path path;
  private final Path building;
  private final Path lockFile;
  private final FileLock lock;
  private final WritableFile file;
  private final TableWriter writer;
  private byte @Nullable [] lastKey;
  private State state = State.OPEN;
  private boolean released;

  private enum State {
    OPEN,
    FAILED,
    FINISHED,
    CLOSED
  }

  private TableFileWriter(Path path, TreeOptions options, Components components)
      throws IOException {
    FileSystem given = components.fileSystem();
    this.fileSystem = given == null ? new OsFileSystem() : given;
    this.path = path.toAbsolutePath();
    this.building = this.path.resolveSibling(this.path.getFileName() + SUFFIX);
    this.lockFile = this.path.resolveSibling(this.path.getFileName() + LOCK_SUFFIX);
    Compressors compressors = new Compressors(components.compressors());
    if (!compressors.knows(options.compression())) {
      throw new IllegalArgumentException(
          "compression '"
              + options.compression()
              + "' is not among those of this process, "
              + compressors.names()
              + "; "
              + Compressors.howToAdd(options.compression()));
    }
    requireFree();
    this.lock = lock();
    boolean done = false;
    try {
      requireFree();
      // It may be a second name of a finished file, which must not be emptied through it.
      removeIfThere(building);
      this.file = fileSystem.create(building);
      done = true;
    } finally {
      if (!done) {
        unlock();
      }
    }
    this.writer =
        new TableWriter(
            file,
            FILE_NUMBER,
            components.random().getAsLong(),
            TableWriterOptions.of(
                options.blockBytes(),
                options.filterBitsPerKey(),
                compressors.find(options.compression())));
  }

  private void requireFree() throws IOException {
    if (fileSystem.exists(path)) {
      throw taken(null);
    }
  }

  private DbException taken(@Nullable Throwable cause) {
    return new DbException.Unavailable(
        path + " exists already; name another file, or remove it", cause);
  }

  private FileLock lock() throws IOException {
    try {
      return fileSystem.lock(lockFile, Opening.owner());
    } catch (LockedException e) {
      throw new DbException.Busy(
          path
              + " is being written already, in "
              + (e.isInThisProcess() ? "this" : "another")
              + " process: "
              + e.getMessage(),
          e);
    }
  }

  /** Where the file will be, how much is in it, and what has become of it. */
  @Override
  public String toString() {
    return "table file "
        + path
        + " ("
        + state.name().toLowerCase(Locale.ROOT)
        + ", "
        + count()
        + " entries)";
  }

  /** Removes what is not the file itself; once, since it may be that of another writer then. */
  private void release() {
    if (released) {
      return;
    }
    released = true;
    try {
      removeIfThere(building);
    } catch (IOException ignored) {
      // The name of what is left says that it is incomplete; the next writer clears it away.
    }
    unlock();
  }

  /** Lets others write a file of that name. The lock file goes first, while it is still ours. */
  private void unlock() {
    try (FileLock held = lock) {
      Objects.requireNonNull(held);
      removeIfThere(lockFile);
    } catch (IOException ignored) {
      // A lock file that nobody holds is in nobody's way.
    }
  }

  private void removeIfThere(Path left) throws IOException {
    try {
      fileSystem.remove(left);
    } catch (NoSuchFileException ignored) {
      // The usual case for what a process that died has left.
    }
  }

  /** Begins a file with the default options. */
  public static TableFileWriter create(Path file) {
    return create(file, TreeOptions.DEFAULT);
  }

  /** Begins a file. */
  public static TableFileWriter create(Path file, TreeOptions options) {
    return create(file, options, Components.DEFAULT);
  }

  /**
   * Begins a file.
   *
   * @param file a name that is free, in a directory that exists
   * @param options block length, filters and compression of this file; what the store makes of it
   *     has those of its tree
   * @param components file system, compressors and random numbers
   * @throws IllegalArgumentException if the options name a compressor that the components lack
   * @throws DbException.Busy if another writer of this name is open, in this process or another
   * @throws DbException.Unavailable if there is a file of that name, or none can be made
   */
  public static TableFileWriter create(Path file, TreeOptions options, Components components) {
    Objects.requireNonNull(file, "file");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(components, "components");
    try {
      return new TableFileWriter(file, options, components);
    } catch (IOException e) {
      throw Failure.ofIo(e, "creating " + file);
    }
  }

  /** Adds a put. */
  public TableFileWriter put(byte[] key, byte[] value) {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(value, "value");
    if (value.length > WriteBatch.VALUE_BYTES_MAX) {
      throw new IllegalArgumentException(
          "value of " + value.length + " bytes: at most " + WriteBatch.VALUE_BYTES_MAX);
    }
    return add(KeyKind.PUT, key, value);
  }

  /** Adds a delete of a key. */
  public TableFileWriter delete(byte[] key) {
    Objects.requireNonNull(key, "key");
    return add(KeyKind.DELETE, key, Bytes.EMPTY);
  }

  /**
   * Adds a delete of all keys of a range that the tree held before. An empty range deletes nothing.
   *
   * @throws IllegalArgumentException if the bounds are in the wrong order
   */
  public TableFileWriter deleteRange(KeyRange range) {
    Objects.requireNonNull(range, "range");
    checkOpen();
    byte[] lower = range.lower() == null ? Bytes.EMPTY : range.lower().clone();
    byte[] upper = range.upper() == null ? UpperBound.end() : range.upper().clone();
    int order = Bytes.compare(lower, upper);
    if (order > 0) {
      throw new IllegalArgumentException("range " + range + ": lower bound after upper bound");
    }
    checkKey(lower);
    if (order < 0) {
      writer.addRangeTombstone(lower, upper, new long[] {0});
    }
    return this;
  }

  /** Puts and deletes of keys so far. */
  public long count() {
    return writer.entries();
  }

  /** About how long the file would be if it were finished now, in bytes. */
  public long estimatedBytes() {
    return writer.estimatedBytes();
  }

  /**
   * Ends the file and makes it durable under its name.
   *
   * @throws IllegalStateException if nothing was added, or the file is finished already
   * @throws DbException.Unavailable if there is a file of that name by now, which stays as it is,
   *     or on an I/O error
   */
  public void finish() {
    checkOpen();
    if (writer.isEmpty()) {
      throw new IllegalStateException("nothing was added to " + path);
    }
    state = State.FAILED;
    try {
      writer.finishUndated(0);
      file.sync();
      file.close();
      publish();
      state = State.FINISHED;
      Path parent = path.getParent();
      if (parent != null) {
        fileSystem.syncDirectory(parent);
      }
      release();
    } catch (IOException e) {
      throw Failure.ofIo(e, "finishing " + path);
    }
  }

  /** Gives the file its name, and does not replace what has it. */
  private void publish() throws IOException {
    try {
      fileSystem.link(building, path);
    } catch (FileAlreadyExistsException e) {
      throw taken(e);
    } catch (IOException e) {
      // A file system without links: a file that somebody makes right here is replaced.
      requireFree();
      try {
        fileSystem.rename(building, path);
      } catch (IOException failure) {
        failure.addSuppressed(e);
        throw failure;
      }
    }
  }

  /** Gives the file up unless it is finished. Idempotent. */
  @Override
  public void close() {
    if (state == State.CLOSED) {
      return;
    }
    state = State.CLOSED;
    try (WritableFile open = file) {
      Objects.requireNonNull(open);
    } catch (IOException ignored) {
      // What could not be written is given up.
    }
    release();
  }

  private TableFileWriter add(int kind, byte[] key, byte[] value) {
    checkOpen();
    checkKey(key);
    byte[] last = lastKey;
    if (last != null && Bytes.compare(last, key) >= 0) {
      throw new IllegalArgumentException(
          "key " + Bytes.hex(key) + " does not come after key " + Bytes.hex(last));
    }
    try {
      writer.add(key, 0, key.length, Trailer.of(0, kind), value, 0, value.length);
    } catch (IOException e) {
      state = State.FAILED;
      throw Failure.ofIo(e, "writing " + building);
    }
    lastKey = key.clone();
    return this;
  }

  private static void checkKey(byte[] key) {
    if (key.length > WriteBatch.KEY_BYTES_MAX) {
      throw new IllegalArgumentException(
          "key of " + key.length + " bytes: at most " + WriteBatch.KEY_BYTES_MAX);
    }
  }

  private void checkOpen() {
    if (state != State.OPEN) {
      throw new IllegalStateException(
          path + (state == State.FAILED ? " could not be written" : " is finished or closed"));
    }
  }
}
