package dev.siltstone.engine.blob;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.key.BlobReference;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Writes and reads blob files. Safe for concurrent use.
 *
 * <p>A blob that was written is <em>in flight</em> until its batch is in a memtable or has failed;
 * the sweep of unneeded files leaves it alone as long.
 */
public final class BlobFiles implements Closeable {
  private final FileSystem fileSystem;
  private final Path directory;
  private final long storeId;
  private final LongSupplier fileNumbers;
  private final Set<Long> inFlight = ConcurrentHashMap.newKeySet();

  /** Files held open, so that they can be read after they were removed. */
  private final ConcurrentHashMap<Long, ReadableFile> held = new ConcurrentHashMap<>();

  /** The blob files of a store. */
  public BlobFiles(FileSystem fileSystem, Path directory, long storeId, LongSupplier fileNumbers) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.storeId = storeId;
    this.fileNumbers = fileNumbers;
  }

  /**
   * Writes a value to a new file and syncs it; its name is durable after {@link #sync}. A file that
   * could not be completed is removed.
   */
  public BlobReference write(byte[] value) throws IOException {
    long number = fileNumbers.getAsLong();
    inFlight.add(number);
    Path path = directory.resolve(FileNames.blob(number));
    try (WritableFile file = fileSystem.create(path)) {
      file.write(header(number, value.length), 0, BlobFormat.HEADER_BYTES);
      writeChunks(file, number, value);
      file.sync();
    } catch (IOException e) {
      discard(path);
      inFlight.remove(number);
      throw e;
    }
    return new BlobReference(number, value.length, Crc32c.of(value, 0, value.length));
  }

  /** Makes the names of all files written so far durable. */
  public void sync() throws IOException {
    fileSystem.syncDirectory(directory);
  }

  /** The batches that refer to these blobs are in memtables, or have failed. */
  public void settled(long[] numbers) {
    for (long number : numbers) {
      inFlight.remove(number);
    }
  }

  /** Blobs that no memtable and no table names yet. */
  public Set<Long> inFlight() {
    return Set.copyOf(inFlight);
  }

  /** Opens a file and keeps it open, so that it stays readable when somebody removes it. */
  public void hold(long number) throws IOException {
    if (held.containsKey(number)) {
      return;
    }
    ReadableFile file = fileSystem.open(directory.resolve(FileNames.blob(number)));
    if (held.putIfAbsent(number, file) != null) {
      file.close();
    }
  }

  /** Closes the files held open. */
  @Override
  public void close() throws IOException {
    for (ReadableFile file : held.values()) {
      file.close();
    }
    held.clear();
  }

  /**
   * Reads a value.
   *
   * @param reference holds a {@link BlobReference} at {@code offset}
   * @throws CorruptFileException if the file is missing, damaged, or not what the reference says
   */
  public byte[] read(byte[] reference, int offset) throws IOException {
    if (!BlobReference.isValid(reference, offset)) {
      throw new CorruptFileException(directory, -1, "a record has an impossible blob reference");
    }
    return read(BlobReference.read(reference, offset));
  }

  /** Reads a value. */
  public byte[] read(BlobReference reference) throws IOException {
    Path path = directory.resolve(FileNames.blob(Math.max(1, reference.fileNumber())));
    ReadableFile open = held.get(reference.fileNumber());
    if (open != null) {
      return read(path, open, reference);
    }
    try (ReadableFile file = fileSystem.open(path)) {
      return read(path, file, reference);
    } catch (NoSuchFileException e) {
      throw new CorruptFileException(path, -1, "missing; a record refers to it");
    }
  }

  private byte[] read(Path path, ReadableFile file, BlobReference reference) throws IOException {
    checkLength(path, file, reference);
    checkHeader(path, file, reference);
    byte[] value = new byte[reference.valueLength()];
    long position = BlobFormat.HEADER_BYTES;
    for (int at = 0; at < value.length; at += BlobFormat.CHUNK_BYTES) {
      int length = Math.min(BlobFormat.CHUNK_BYTES, value.length - at);
      position = readChunk(path, file, reference.fileNumber(), position, value, at, length);
    }
    if (Crc32c.of(value, 0, value.length) != reference.checksum()) {
      throw otherValue(path);
    }
    return value;
  }

  private static void checkLength(Path path, ReadableFile file, BlobReference reference)
      throws IOException {
    int length = reference.valueLength();
    if (file.size() != BlobFormat.fileBytes(length)) {
      throw new CorruptFileException(
          path, -1, "value of " + length + " bytes in a file of " + file.size() + " bytes");
    }
  }

  /**
   * Checks a value without having all of it in memory, from the file in the directory and no other.
   *
   * @param faults is told each fault; a chunk that is damaged keeps no other from being checked
   * @return length of the file
   */
  public long verify(BlobReference reference, Consumer<CorruptFileException> faults)
      throws IOException {
    Path path = directory.resolve(FileNames.blob(reference.fileNumber()));
    try (ReadableFile file = fileSystem.open(path)) {
      checkLength(path, file, reference);
      checkHeader(path, file, reference);
      CRC32C whole = new CRC32C();
      boolean sound = true;
      byte[] chunk = new byte[Math.min(BlobFormat.CHUNK_BYTES, reference.valueLength())];
      long position = BlobFormat.HEADER_BYTES;
      for (long left = reference.valueLength(); left > 0; left -= chunk.length) {
        int length = (int) Math.min(chunk.length, left);
        try {
          position = readChunk(path, file, reference.fileNumber(), position, chunk, 0, length);
          whole.update(chunk, 0, length);
        } catch (CorruptFileException e) {
          sound = false;
          faults.accept(e);
          position += length + (long) BlobFormat.CHECKSUM_BYTES;
        }
      }
      if (sound && (int) whole.getValue() != reference.checksum()) {
        faults.accept(otherValue(path));
      }
      return file.size();
    } catch (NoSuchFileException e) {
      faults.accept(new CorruptFileException(path, -1, "missing; a record refers to it"));
    } catch (CorruptFileException e) {
      faults.accept(e);
    }
    return 0;
  }

  private static CorruptFileException otherValue(Path path) {
    return new CorruptFileException(path, -1, "not the value that the record refers to");
  }

  private byte[] header(long number, int length) {
    byte[] header = new byte[BlobFormat.HEADER_BYTES];
    Fixed.putLong(header, 0, BlobFormat.MAGIC);
    Fixed.putInt(header, 8, BlobFormat.VERSION);
    Fixed.putInt(header, 12, length);
    Fixed.putLong(header, 16, storeId);
    Fixed.putLong(header, 24, number);
    Fixed.putInt(header, 32, Crc32c.of(header, 0, 32));
    return header;
  }

  private void writeChunks(WritableFile file, long number, byte[] value) throws IOException {
    byte[] checksum = new byte[BlobFormat.CHECKSUM_BYTES];
    for (int at = 0; at < value.length; at += BlobFormat.CHUNK_BYTES) {
      int length = Math.min(BlobFormat.CHUNK_BYTES, value.length - at);
      Fixed.putInt(checksum, 0, checksum(value, at, length, number, file.size()));
      file.write(value, at, length);
      file.write(checksum, 0, checksum.length);
    }
  }

  private void checkHeader(Path path, ReadableFile file, BlobReference reference)
      throws IOException {
    byte[] header = new byte[BlobFormat.HEADER_BYTES];
    file.read(0, header, 0, header.length);
    if (Fixed.getInt(header, 32) != Crc32c.of(header, 0, 32)
        || Fixed.getLong(header, 0) != BlobFormat.MAGIC) {
      throw new CorruptFileException(path, 0, "damaged header");
    }
    if (Fixed.getInt(header, 8) != BlobFormat.VERSION) {
      throw new UnsupportedFileException(path + ": format version " + Fixed.getInt(header, 8));
    }
    if (Fixed.getLong(header, 16) != storeId
        || Fixed.getLong(header, 24) != reference.fileNumber()
        || Fixed.getInt(header, 12) != reference.valueLength()) {
      throw new CorruptFileException(path, 0, "the header names another file");
    }
  }

  /** Reads a chunk; the offset after it. */
  private long readChunk(
      Path path,
      ReadableFile file,
      long number,
      long position,
      byte[] target,
      int offset,
      int length)
      throws IOException {
    byte[] checksum = new byte[BlobFormat.CHECKSUM_BYTES];
    int read = file.read(position, target, offset, length);
    read += file.read(position + length, checksum, 0, checksum.length);
    if (read != length + checksum.length
        || Fixed.getInt(checksum, 0) != checksum(target, offset, length, number, position)) {
      throw new CorruptFileException(path, position, "damaged chunk");
    }
    return position + length + checksum.length;
  }

  private int checksum(byte[] value, int at, int length, long number, long position) {
    return Crc32c.bind(Crc32c.of(value, at, length), storeId ^ number, position);
  }

  private void discard(Path path) {
    try {
      fileSystem.remove(path);
    } catch (IOException ignored) {
      // The sweep at the next open removes what nothing refers to.
    }
  }
}
