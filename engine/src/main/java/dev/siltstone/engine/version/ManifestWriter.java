package dev.siltstone.engine.version;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.wal.LogFormat;
import dev.siltstone.engine.wal.LogKind;
import dev.siltstone.engine.wal.LogWriter;
import dev.siltstone.engine.wal.SegmentHeader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/**
 * One manifest that is being written. An edit is one record, durable when {@link #append} returns.
 *
 * <p>After each edit a mark follows, which says that the edit was durable; it costs no sync. Damage
 * to the last edit is told from a torn tail by it, unless a power loss took the mark.
 *
 * <p>One thread at a time. After any failure the writer is of no use but to be closed.
 */
final class ManifestWriter implements Closeable {
  private final LogWriter writer;
  private final long snapshotBytes;

  private ManifestWriter(LogWriter writer) {
    this.writer = writer;
    this.snapshotBytes = writer.end();
  }

  /**
   * Writes a manifest that begins with {@code snapshot}. It has its name, and all is durable, when
   * this returns; it is not in force before {@link #putInForce}. A failure leaves nothing but a
   * temporary file.
   */
  static ManifestWriter create(
      FileSystem fileSystem, Path directory, SegmentHeader header, VersionEdit snapshot)
      throws IOException {
    Path temporary = directory.resolve(FileNames.temporary(header.number()));
    WritableFile file = fileSystem.create(temporary);
    try {
      file.write(header.encode(), 0, SegmentHeader.BYTES);
      LogWriter writer = LogWriter.written(file, header, LogFormat.FILE_BYTES_MAX);
      appendDurably(writer, snapshot);
      fileSystem.rename(temporary, directory.resolve(FileNames.manifest(header.number())));
      fileSystem.syncDirectory(directory);
      return new ManifestWriter(writer);
    } catch (IOException e) {
      abandon(fileSystem, directory, file, header.number());
      throw e;
    }
  }

  /**
   * Removes what was made, the renamed file too: if ever all markers are lost, the newest manifest
   * counts, and this one would be a state of the past by then.
   */
  private static void abandon(
      FileSystem fileSystem, Path directory, WritableFile file, long number) {
    try {
      file.close();
      Path manifest = directory.resolve(FileNames.manifest(number));
      if (fileSystem.exists(manifest)) {
        fileSystem.remove(manifest);
      }
      fileSystem.remove(directory.resolve(FileNames.temporary(number)));
    } catch (IOException e) {
      // The failure that led here is the one to report; the next sweep removes the file.
    }
  }

  /** The header of a new manifest. */
  static SegmentHeader header(long storeId, long number, long uniqueId) {
    return new SegmentHeader(LogKind.MANIFEST, storeId, number, uniqueId, 0);
  }

  /**
   * Makes this the manifest that the next open reads. If this throws, it is open which manifest
   * that is.
   */
  void putInForce(FileSystem fileSystem, Path directory) throws IOException {
    fileSystem.create(directory.resolve(FileNames.current(number()))).close();
    fileSystem.syncDirectory(directory);
  }

  /** Appends an edit. If this throws, it is open whether the next open will see the edit. */
  void append(VersionEdit edit) throws IOException {
    appendDurably(writer, edit);
  }

  /** The file number. */
  long number() {
    return writer.header().number();
  }

  /** Length of the file. */
  long bytes() {
    return writer.end();
  }

  /** Length of the file when it held its first edit only. */
  long snapshotBytes() {
    return snapshotBytes;
  }

  @Override
  public void close() throws IOException {
    writer.close();
  }

  private static void appendDurably(LogWriter writer, VersionEdit edit) throws IOException {
    byte[] payload = ManifestFormat.encode(edit);
    if (!writer.fits(payload.length)) {
      throw new IOException("an edit of " + payload.length + " bytes does not fit a manifest");
    }
    writer.append(LogFormat.DATA, payload, 0, payload.length);
    writer.flush();
    writer.sync();
    writer.appendMark();
    writer.flush();
  }
}
