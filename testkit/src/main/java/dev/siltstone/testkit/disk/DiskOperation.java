package dev.siltstone.testkit.disk;

/** What can be asked of a disk, for counting, watching and failing. */
public enum DiskOperation {
  /** {@code FileSystem.createDirectories}. */
  CREATE_DIRECTORIES(true),
  /** {@code FileSystem.list}. */
  LIST(false),
  /** {@code FileSystem.exists}. */
  EXISTS(false),
  /** {@code FileSystem.size}. */
  SIZE(false),
  /** {@code FileSystem.rename}; the path is the source. */
  RENAME(true),
  /** {@code FileSystem.remove}. */
  REMOVE(true),
  /** {@code FileSystem.link}; the path is the existing file. */
  LINK(true),
  /** {@code FileSystem.syncDirectory}. */
  SYNC_DIRECTORY(true),
  /** {@code FileSystem.syncFile} and {@code WritableFile.sync}. */
  SYNC(true),
  /** {@code FileSystem.create}. */
  CREATE(true),
  /** {@code FileSystem.open}. */
  OPEN(false),
  /** {@code FileSystem.map}. */
  MAP(true),
  /** {@code FileSystem.lock}. */
  LOCK(true),
  /** {@code FileSystem.usableBytes}. */
  USABLE_BYTES(false),
  /** {@code WritableFile.write}. */
  WRITE(true),
  /** {@code ReadableFile.read}. */
  READ(false),
  /** {@code MappedFile.write}. */
  MAPPED_WRITE(true),
  /** {@code MappedFile.force}. */
  FORCE(true),
  /** {@code close} of any open file or lock. */
  CLOSE(false);

  private final boolean changing;

  DiskOperation(boolean changing) {
    this.changing = changing;
  }

  /** Whether the operation may change what a crash leaves; the others are no crash points. */
  public boolean isChanging() {
    return changing;
  }
}
