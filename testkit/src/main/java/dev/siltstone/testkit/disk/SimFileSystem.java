package dev.siltstone.testkit.disk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A file system in memory that knows what a power loss would leave of it.
 *
 * <p>It promises exactly what {@link FileSystem} does and nothing that a particular file system
 * happens to add: bytes are durable after a sync of the file, a name after a sync of its directory,
 * and a directory itself is such a name in its parent. A file without a durable name is lost,
 * synced or not. It is stricter than the real one in that a file may not be read once it has lost
 * the name it was opened by, because the real one opens files again by name.
 *
 * <p>To test crashes, either stop at an operation ({@link #onOperation}, then {@link #halt}), or
 * let the program run on and take states from it as it runs: {@link #crash} and {@link #kill} give
 * a new file system and leave this one alone. Both cost little: pages of files are shared.
 *
 * <p>Relative paths are taken from the root. Safe for concurrent use; one operation at a time.
 */
public final class SimFileSystem implements FileSystem {
  private final ReentrantLock lock = new ReentrantLock();

  @GuardedBy("lock")
  private final SimNode.Directory root;

  /** Held locks and their owners. */
  @GuardedBy("lock")
  private final IdentityHashMap<SimNode, String> locks = new IdentityHashMap<>();

  @GuardedBy("lock")
  private @Nullable OperationListener listener;

  @GuardedBy("lock")
  private long operations;

  /** Orders the pending changes; goes on where the disk that was killed left off. */
  @GuardedBy("lock")
  private long changes;

  @GuardedBy("lock")
  private long quotaBytes = Long.MAX_VALUE;

  @GuardedBy("lock")
  private long usedBytes;

  @GuardedBy("lock")
  private boolean halted;

  /** An empty disk without limit. */
  public SimFileSystem() {
    this.root = new SimNode.Directory();
  }

  private SimFileSystem(SimNode.Directory root, long changes, long quotaBytes) {
    this.root = root;
    this.changes = changes;
    this.quotaBytes = quotaBytes;
    IdentityHashMap<SimNode, Boolean> seen = new IdentityHashMap<>();
    for (SimNode node : SimTree.files(root)) {
      SimNode.File file = (SimNode.File) node;
      if (seen.put(file, true) == null) {
        file.links = 0;
        usedBytes += file.current.length();
      }
      file.links++;
    }
  }

  /** Allows this many bytes in all files together; what is there already stays. */
  public void setQuota(long bytes) {
    lock.lock();
    try {
      quotaBytes = bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Has every changing operation from now on told to a listener, or to nobody if null. */
  public void onOperation(@Nullable OperationListener newListener) {
    lock.lock();
    try {
      listener = newListener;
    } finally {
      lock.unlock();
    }
  }

  /** Changing operations so far. */
  public long operations() {
    lock.lock();
    try {
      return operations;
    } finally {
      lock.unlock();
    }
  }

  /** The disk as it is found after a power loss at this moment. This disk goes on unchanged. */
  public SimFileSystem crash(RandomGenerator random, CrashMode mode) {
    lock.lock();
    try {
      SimNode.Directory survivor = new SimCrash(root, mode, random).survivor();
      return new SimFileSystem(survivor, changes, quotaBytes);
    } finally {
      lock.unlock();
    }
  }

  /**
   * The disk as it is found after the death of the process at this moment: every change is there,
   * and what was not synced still is not. This disk goes on unchanged.
   */
  public SimFileSystem kill() {
    lock.lock();
    try {
      return new SimFileSystem(new SimCopy().of(root), changes, quotaBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Makes every later operation fail, closing excepted, so that what uses this disk ends. */
  public void halt() {
    lock.lock();
    try {
      halted = true;
    } finally {
      lock.unlock();
    }
  }

  /**
   * All that a power loss might take now, in no particular order. At a durable acknowledgement no
   * file and no added name that the acknowledged depends on may be among it.
   */
  public List<Unsynced> unsynced() {
    lock.lock();
    try {
      return SimTree.unsynced(root);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Makes the un-synced changes of a file impossible to sync, as a failed fsync does on Linux: they
   * can be read on, but a later sync that succeeds does not make them durable.
   */
  public void loseUnsynced(Path path) throws IOException {
    lock.lock();
    try {
      loseUnsynced(file(path));
    } finally {
      lock.unlock();
    }
  }

  private void loseUnsynced(SimNode.File file) {
    lock.lock();
    try {
      file.losePending();
    } finally {
      lock.unlock();
    }
  }

  /** An open file whose un-synced changes can be lost by a sync that is made to fail. */
  interface Unsyncable {
    void loseUnsynced();
  }

  /** The bytes of a file. Not an operation. */
  public byte[] bytes(Path path) throws IOException {
    lock.lock();
    try {
      SimBytes content = file(path).current;
      byte[] bytes = new byte[Math.toIntExact(content.length())];
      content.read(0, bytes, 0, bytes.length);
      return bytes;
    } finally {
      lock.unlock();
    }
  }

  /** Replaces the bytes of an existing file, durably; to damage it. Not an operation. */
  public void setBytes(Path path, byte[] bytes) throws IOException {
    lock.lock();
    try {
      SimNode.File file = file(path);
      usedBytes += bytes.length - file.current.length();
      SimBytes content = new SimBytes();
      content.write(0, bytes, 0, bytes.length);
      file.pending.clear();
      file.diverged = false;
      file.durable = content;
      file.current = content;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.CREATE_DIRECTORIES, directory);
      SimNode.Directory at = root;
      for (String name : SimTree.names(directory)) {
        SimNode child = at.current.get(name);
        if (child == null) {
          child = new SimNode.Directory();
          at.change(SimNode.Change.add(changes++, at, name, child));
        }
        if (!(child instanceof SimNode.Directory next)) {
          throw new FileAlreadyExistsException(directory.toString());
        }
        at = next;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.LIST, directory);
      return new ArrayList<>(directory(directory, directory).current.keySet());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public boolean exists(Path file) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.EXISTS, file);
      return SimTree.find(root, SimTree.names(file)) != null;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long size(Path file) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.SIZE, file);
      return existing(file).current.length();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rename(Path source, Path target) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.RENAME, source);
      SimNode file = node(source);
      SimNode.Directory from = parent(source);
      SimNode.Directory to = parent(target);
      String oldName = SimTree.lastName(source);
      String newName = SimTree.lastName(target);
      SimNode replaced = to.current.get(newName);
      if (replaced == file) {
        // rename(2): two names of one file stay as they are.
        return;
      }
      if (replaced instanceof SimNode.Directory
          || (replaced != null && file instanceof SimNode.Directory)) {
        throw new FileAlreadyExistsException(target.toString());
      }
      if (from == to) {
        from.change(SimNode.Change.rename(changes++, from, oldName, newName, file));
      } else {
        long order = changes++;
        SimNode.Change added = SimNode.Change.add(order, to, newName, file);
        to.change(added);
        from.change(SimNode.Change.remove(order, from, oldName, added));
      }
      if (replaced instanceof SimNode.File old) {
        unlinked(old);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void remove(Path path) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.REMOVE, path);
      SimNode node = node(path);
      if (node instanceof SimNode.Directory directory && !directory.current.isEmpty()) {
        throw new DirectoryNotEmptyException(path.toString());
      }
      SimNode.Directory parent = parent(path);
      parent.change(SimNode.Change.remove(changes++, parent, SimTree.lastName(path), null));
      if (node instanceof SimNode.File file) {
        unlinked(file);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.LINK, existing);
      SimNode.File file = file(existing);
      SimNode.Directory parent = parent(link);
      String name = SimTree.lastName(link);
      if (parent.current.containsKey(name)) {
        throw new FileAlreadyExistsException(link.toString());
      }
      parent.change(SimNode.Change.add(changes++, parent, name, file));
      file.links++;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.SYNC_DIRECTORY, directory);
      directory(directory, directory).sync();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void syncFile(Path path) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.SYNC, path);
      existing(path).sync();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public WritableFile create(Path path) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.CREATE, path);
      SimNode.File file = fileOrNew(path);
      if (file.current.length() > 0) {
        usedBytes -= file.current.length();
        file.change(new SimNode.Write(changes++, 0, null));
      }
      return new SimWritable(path, file);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public ReadableFile open(Path path) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.OPEN, path);
      return new SimReadable(path, existing(path));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public MappedFile map(Path path, long bytes) throws IOException {
    if (bytes < 1 || bytes > 1L << 40) {
      throw new IllegalArgumentException("bytes: " + bytes);
    }
    lock.lock();
    try {
      begin(DiskOperation.MAP, path);
      SimNode.File file = fileOrNew(path);
      long growth = bytes - file.current.length();
      if (growth > 0) {
        if (growth > quotaBytes - usedBytes) {
          throw noSpace(path);
        }
        usedBytes += growth;
        file.change(new SimNode.Write(changes++, bytes, null));
      }
      // The real one syncs here, too, since force() does not promise the length.
      file.sync();
      return new SimMapped(path, file, bytes);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public FileLock lock(Path path, String owner) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.LOCK, path);
      SimNode.File file = fileOrNew(path);
      String holder = locks.putIfAbsent(file, owner);
      if (holder != null) {
        throw new LockedException(path + " is locked by " + holder, true);
      }
      return new SimLock(file);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    lock.lock();
    try {
      begin(DiskOperation.USABLE_BYTES, directory);
      directory(directory, directory);
      return Math.max(0, quotaBytes - usedBytes);
    } finally {
      lock.unlock();
    }
  }

  /** Counts and announces an operation. */
  @GuardedBy("lock")
  private void begin(DiskOperation operation, Path path) throws IOException {
    checkRunning();
    if (operation.isChanging()) {
      long index = operations++;
      if (listener != null) {
        listener.onOperation(operation, path, index);
        checkRunning();
      }
    }
  }

  @GuardedBy("lock")
  private void checkRunning() throws IOException {
    if (halted) {
      throw new IOException("the simulated disk was halted");
    }
  }

  @GuardedBy("lock")
  private SimNode node(Path path) throws IOException {
    SimNode node = SimTree.find(root, SimTree.names(path));
    if (node == null) {
      throw new NoSuchFileException(path.toString());
    }
    return node;
  }

  @GuardedBy("lock")
  private SimNode.File file(Path path) throws IOException {
    if (node(path) instanceof SimNode.File file) {
      return file;
    }
    throw new IOException(path + " is not a regular file");
  }

  /** As {@link #file}, for what has to be one already. */
  @GuardedBy("lock")
  private SimNode.File existing(Path path) throws IOException {
    if (node(path) instanceof SimNode.File file) {
      return file;
    }
    throw new CorruptFileException(path, -1, "is not a regular file");
  }

  @GuardedBy("lock")
  private SimNode.Directory directory(Path directory, Path asked) throws IOException {
    SimNode node = SimTree.find(root, SimTree.names(directory));
    if (node instanceof SimNode.Directory found) {
      return found;
    }
    throw node == null
        ? new NoSuchFileException(asked.toString())
        : new NotDirectoryException(directory.toString());
  }

  @GuardedBy("lock")
  private SimNode.Directory parent(Path path) throws IOException {
    Path parent = path.getParent();
    return parent == null ? root : directory(parent, path);
  }

  @GuardedBy("lock")
  private SimNode.File fileOrNew(Path path) throws IOException {
    SimNode.Directory parent = parent(path);
    String name = SimTree.lastName(path);
    SimNode node = parent.current.get(name);
    if (node == null) {
      SimNode.File file = new SimNode.File();
      file.links = 1;
      parent.change(SimNode.Change.add(changes++, parent, name, file));
      return file;
    }
    return file(path);
  }

  @GuardedBy("lock")
  private void unlinked(SimNode.File file) {
    file.links--;
    if (file.links == 0) {
      usedBytes -= file.current.length();
    }
  }

  /** Writes, or writes what there is room for and fails. */
  @GuardedBy("lock")
  private void write(
      Path path, SimNode.File file, long position, byte[] source, int offset, int length)
      throws IOException {
    long growth = file.links == 0 ? 0 : Math.max(0, position + length - file.current.length());
    long room = Math.max(0, quotaBytes - usedBytes);
    long missing = Math.max(0, growth - room);
    int count = (int) (length - missing);
    if (count > 0) {
      byte[] bytes = new byte[count];
      System.arraycopy(source, offset, bytes, 0, count);
      file.change(new SimNode.Write(changes++, position, bytes));
      usedBytes += growth - missing;
    }
    if (missing > 0) {
      throw noSpace(path);
    }
  }

  private static NoSpaceException noSpace(Path path) {
    return new NoSpaceException(path + ": the simulated disk is full");
  }

  private static IOException closed(Path path) {
    return new IOException(path + " is closed");
  }

  private final class SimWritable implements WritableFile, Unsyncable {
    private final Path path;
    private final SimNode.File file;
    private long size;
    private boolean closed;
    private boolean failed;

    SimWritable(Path path, SimNode.File file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, source.length);
      lock.lock();
      try {
        if (closed) {
          throw closed(path);
        }
        if (failed) {
          throw new IllegalStateException(path + " is written to after a failed write");
        }
        failed = true;
        begin(DiskOperation.WRITE, path);
        SimFileSystem.this.write(path, file, size, source, offset, length);
        failed = false;
        size += length;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void sync() throws IOException {
      lock.lock();
      try {
        if (closed) {
          throw closed(path);
        }
        begin(DiskOperation.SYNC, path);
        file.sync();
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void loseUnsynced() {
      SimFileSystem.this.loseUnsynced(file);
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        closed = true;
      } finally {
        lock.unlock();
      }
    }
  }

  private final class SimReadable implements ReadableFile {
    private final Path path;
    private final List<String> names;
    private final SimNode.File file;
    private final long size;
    private volatile boolean closed;

    SimReadable(Path path, SimNode.File file) {
      this.path = path;
      this.names = SimTree.names(path);
      this.file = file;
      this.size = file.current.length();
    }

    @Override
    public int read(long position, byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      if (position < 0) {
        throw new IllegalArgumentException("position: " + position);
      }
      lock.lock();
      try {
        if (closed) {
          throw closed(path);
        }
        begin(DiskOperation.READ, path);
        if (SimTree.find(root, names) != file) {
          throw new NoSuchFileException(path.toString(), null, "lost its name while it was open");
        }
        return file.current.read(position, target, offset, length);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final class SimMapped implements MappedFile, Unsyncable {
    private final Path path;
    private final SimNode.File file;
    private final long size;
    private boolean detached;
    private boolean closed;

    SimMapped(Path path, SimNode.File file, long size) {
      this.path = path;
      this.file = file;
      this.size = size;
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(position, length, size);
      Objects.checkFromIndexSize(offset, length, source.length);
      lock.lock();
      try {
        begin(DiskOperation.MAPPED_WRITE);
        if (detached) {
          throw new IOException(path + " is detached");
        }
        if (file.current.length() < size) {
          throw new IOException(path + ": a mapped page cannot be accessed");
        }
        SimFileSystem.this.write(path, file, position, source, offset, length);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void force(long position, long length) throws IOException {
      Objects.checkFromIndexSize(position, length, size);
      lock.lock();
      try {
        begin(DiskOperation.FORCE);
        file.syncRange(position, position + length);
      } finally {
        lock.unlock();
      }
    }

    @GuardedBy("lock")
    private void begin(DiskOperation operation) throws IOException {
      if (closed) {
        throw closed(path);
      }
      SimFileSystem.this.begin(operation, path);
    }

    @Override
    public void loseUnsynced() {
      SimFileSystem.this.loseUnsynced(file);
    }

    @Override
    public void detach() {
      lock.lock();
      try {
        detached = true;
      } finally {
        lock.unlock();
      }
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        closed = true;
      } finally {
        lock.unlock();
      }
    }
  }

  private final class SimLock implements FileLock {
    private final SimNode.File file;
    private boolean open = true;

    SimLock(SimNode.File file) {
      this.file = file;
    }

    @Override
    public void close() {
      lock.lock();
      try {
        if (open) {
          open = false;
          locks.remove(file);
        }
      } finally {
        lock.unlock();
      }
    }
  }
}
