package dev.siltstone.testkit.disk;

import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.FilterFileSystem;
import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Another file system, made to fail on command. To visit every failure of a piece of work, add a
 * {@link Fault} at 0, 1, 2 and so on to fresh instances until one has not {@link Fault#fired}.
 *
 * <p>Safe for concurrent use.
 */
public final class FaultFileSystem extends FilterFileSystem {
  private final List<Fault> faults = new CopyOnWriteArrayList<>();
  private final Map<DiskOperation, AtomicLong> counts = new EnumMap<>(DiskOperation.class);

  /** A file system that does nothing wrong yet. */
  public FaultFileSystem(FileSystem delegate) {
    super(delegate);
    for (DiskOperation operation : DiskOperation.values()) {
      counts.put(operation, new AtomicLong());
    }
  }

  /** Adds a fault and returns it. If several strike at once, the first added does. */
  public Fault add(Fault fault) {
    faults.add(fault);
    return fault;
  }

  /** Takes all faults away. */
  public void clear() {
    faults.clear();
  }

  /** Operations of a kind so far, those that failed included. */
  public long count(DiskOperation operation) {
    AtomicLong count = counts.get(operation);
    return count == null ? 0 : count.get();
  }

  /** What is passed on. */
  @FunctionalInterface
  private interface Call<T> {
    T run() throws IOException;
  }

  /** What is passed on and gives nothing back. */
  @FunctionalInterface
  private interface Action {
    void run() throws IOException;
  }

  /** Counts an operation and returns the fault that strikes at it. */
  private @Nullable Fault strike(DiskOperation operation, Path path) {
    AtomicLong count = counts.get(operation);
    if (count != null) {
      count.getAndIncrement();
    }
    Fault first = null;
    for (Fault fault : faults) {
      if (fault.strikes(operation, path) && first == null) {
        first = fault;
      }
    }
    if (first != null) {
      first.pause();
    }
    return first;
  }

  private <T> T call(DiskOperation operation, Path path, Call<T> call) throws IOException {
    Fault fault = strike(operation, path);
    if (fault == null || !fault.fails()) {
      return call.run();
    }
    if (fault.isAfterEffect()) {
      call.run();
    }
    throw fault.failure(operation, path);
  }

  private void run(DiskOperation operation, Path path, Action action) throws IOException {
    call(
        operation,
        path,
        () -> {
          action.run();
          return path;
        });
  }

  private void sync(DiskOperation operation, Path path, Action sync, Action lose)
      throws IOException {
    Fault fault = strike(operation, path);
    if (fault == null || !fault.fails()) {
      sync.run();
      return;
    }
    if (fault.isLosing()) {
      lose.run();
    } else if (fault.isAfterEffect()) {
      sync.run();
    }
    throw fault.failure(operation, path);
  }

  private static void lose(Object file) {
    if (file instanceof SimFileSystem.Unsyncable sim) {
      sim.loseUnsynced();
    } else {
      throw new IllegalStateException("only a simulated disk can lose what was not synced");
    }
  }

  @Override
  public void createDirectories(Path directory) throws IOException {
    run(DiskOperation.CREATE_DIRECTORIES, directory, () -> delegate().createDirectories(directory));
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return call(DiskOperation.LIST, directory, () -> delegate().list(directory));
  }

  @Override
  public boolean exists(Path file) throws IOException {
    return call(DiskOperation.EXISTS, file, () -> delegate().exists(file));
  }

  @Override
  public long size(Path file) throws IOException {
    return call(DiskOperation.SIZE, file, () -> delegate().size(file));
  }

  @Override
  public void rename(Path source, Path target) throws IOException {
    run(DiskOperation.RENAME, source, () -> delegate().rename(source, target));
  }

  @Override
  public void remove(Path file) throws IOException {
    run(DiskOperation.REMOVE, file, () -> delegate().remove(file));
  }

  @Override
  public void link(Path existing, Path link) throws IOException {
    run(DiskOperation.LINK, existing, () -> delegate().link(existing, link));
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    run(DiskOperation.SYNC_DIRECTORY, directory, () -> delegate().syncDirectory(directory));
  }

  @Override
  public void syncFile(Path file) throws IOException {
    sync(
        DiskOperation.SYNC,
        file,
        () -> delegate().syncFile(file),
        () -> {
          if (delegate() instanceof SimFileSystem sim) {
            sim.loseUnsynced(file);
          } else {
            lose(delegate());
          }
        });
  }

  @Override
  public WritableFile create(Path file) throws IOException {
    return call(DiskOperation.CREATE, file, () -> new FaultWritable(file, delegate().create(file)));
  }

  @Override
  public ReadableFile open(Path file) throws IOException {
    return call(DiskOperation.OPEN, file, () -> new FaultReadable(file, delegate().open(file)));
  }

  @Override
  public MappedFile map(Path file, long bytes) throws IOException {
    return call(DiskOperation.MAP, file, () -> new FaultMapped(file, delegate().map(file, bytes)));
  }

  @Override
  public FileLock lock(Path file, String owner) throws IOException {
    return call(DiskOperation.LOCK, file, () -> delegate().lock(file, owner));
  }

  @Override
  public long usableBytes(Path directory) throws IOException {
    return call(DiskOperation.USABLE_BYTES, directory, () -> delegate().usableBytes(directory));
  }

  /** Bytes of a write that are stored in spite of a fault. */
  private static int stored(Fault fault, int length) {
    return fault.isAfterEffect() ? length : fault.isPartly() ? length / 2 : 0;
  }

  private final class FaultWritable implements WritableFile {
    private final Path path;
    private final WritableFile file;

    /** What was written without failure; the file itself may hold part of a failed write. */
    private long size;

    FaultWritable(Path path, WritableFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      if (file.size() != size) {
        throw new IllegalStateException(path + " is written to after a failed write");
      }
      Fault fault = strike(DiskOperation.WRITE, path);
      if (fault != null && fault.fails()) {
        file.write(source, offset, stored(fault, length));
        throw fault.failure(DiskOperation.WRITE, path);
      }
      file.write(source, offset, length);
      size += length;
    }

    @Override
    public void sync() throws IOException {
      FaultFileSystem.this.sync(DiskOperation.SYNC, path, file::sync, () -> lose(file));
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public void close() throws IOException {
      run(DiskOperation.CLOSE, path, file::close);
    }
  }

  private final class FaultReadable implements ReadableFile {
    private final Path path;
    private final ReadableFile file;

    FaultReadable(Path path, ReadableFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public int read(long position, byte[] target, int offset, int length) throws IOException {
      Fault fault = strike(DiskOperation.READ, path);
      if (fault != null && fault.fails()) {
        throw fault.failure(DiskOperation.READ, path);
      }
      int count = file.read(position, target, offset, length);
      if (fault != null && fault.isDamaging() && count > 0) {
        target[offset + count / 2] ^= (byte) (1 << (count % 8));
      }
      return count;
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void close() throws IOException {
      run(DiskOperation.CLOSE, path, file::close);
    }
  }

  private final class FaultMapped implements MappedFile {
    private final Path path;
    private final MappedFile file;

    FaultMapped(Path path, MappedFile file) {
      this.path = path;
      this.file = file;
    }

    @Override
    public void write(long position, byte[] source, int offset, int length) throws IOException {
      Fault fault = strike(DiskOperation.MAPPED_WRITE, path);
      if (fault != null && fault.fails()) {
        file.write(position, source, offset, stored(fault, length));
        throw fault.failure(DiskOperation.MAPPED_WRITE, path);
      }
      file.write(position, source, offset, length);
    }

    @Override
    public void force(long position, long length) throws IOException {
      FaultFileSystem.this.sync(
          DiskOperation.FORCE, path, () -> file.force(position, length), () -> lose(file));
    }

    @Override
    public void detach() throws IOException {
      file.detach();
    }

    @Override
    public long size() {
      return file.size();
    }

    @Override
    public void close() throws IOException {
      run(DiskOperation.CLOSE, path, file::close);
    }
  }
}
