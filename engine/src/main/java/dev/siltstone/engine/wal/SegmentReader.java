package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The records of one file, front to back. The whole file is read into memory at once: it is a few
 * MiB long, unless it holds one huge record, which has to be in memory anyway.
 *
 * <p>{@link #next} ends at the first offset that holds no intact record. Whether that is the end of
 * the log, a torn tail or damage follows from {@link #remains} and, for log segments, from the
 * segments that follow.
 *
 * <p>One thread at a time.
 */
public final class SegmentReader {
  private final Path file;
  private final byte[] bytes;
  private final SegmentHeader header;

  private int at = SegmentHeader.BYTES;
  private int end = SegmentHeader.BYTES;
  private long checksum;
  private long watermark;

  /**
   * What lies after the first offset without an intact record.
   *
   * @param records intact records found there
   * @param first offset of the first of them; -1 if there are none
   * @param watermark greatest watermark of them; 0 if there are none
   */
  public record Remains(int records, int first, long watermark) {}

  private SegmentReader(Path file, byte[] bytes, SegmentHeader header) {
    this.file = file;
    this.bytes = bytes;
    this.header = header;
  }

  /**
   * Reads a file and checks its header.
   *
   * @throws CorruptFileException if the header is damaged, or the length of the file is not what it
   *     says
   * @throws UnsupportedFileException if the file is of a newer version
   */
  public static SegmentReader open(FileSystem fileSystem, Path file, LogKind kind)
      throws IOException {
    return openStart(fileSystem, file, kind, LogFormat.FILE_BYTES_MAX);
  }

  /** As {@link #open}, but reads only the header and {@code recordBytes} bytes after it. */
  static SegmentReader openStart(FileSystem fileSystem, Path file, LogKind kind, int recordBytes)
      throws IOException {
    try (ReadableFile input = fileSystem.open(file)) {
      byte[] start = new byte[SegmentHeader.BYTES];
      int length = input.read(0, start, 0, start.length);
      // The length is compared with the header before it decides how much memory is taken.
      SegmentHeader header = SegmentHeader.decode(kind, file, start, length, input.size());
      long wanted = Math.min((long) SegmentHeader.BYTES + recordBytes, input.size());
      byte[] bytes = new byte[(int) wanted];
      int read = input.read(0, bytes, 0, bytes.length);
      if (read != bytes.length) {
        throw new CorruptFileException(
            file, read, "the file ends here, its length was " + input.size());
      }
      return new SegmentReader(file, bytes, header);
    }
  }

  /**
   * Reads a file whose header may be damaged: then the header is what its bytes say. Records are
   * bound to the unique id, so that those found intact under it are proven all the same.
   *
   * @param faults is told of a damaged header
   * @return {@code null} if the file is too short for a header, or no regular file
   * @throws UnsupportedFileException if the file is of a newer version
   */
  public static @Nullable SegmentReader openDamaged(
      FileSystem fileSystem, Path file, LogKind kind, Consumer<CorruptFileException> faults)
      throws IOException {
    try {
      return open(fileSystem, file, kind);
    } catch (CorruptFileException e) {
      faults.accept(e);
    }
    try (ReadableFile input = fileSystem.open(file)) {
      byte[] bytes = new byte[(int) Math.min(input.size(), LogFormat.FILE_BYTES_MAX)];
      int read = input.read(0, bytes, 0, bytes.length);
      if (read < SegmentHeader.BYTES) {
        return null;
      }
      return new SegmentReader(
          file,
          read == bytes.length ? bytes : Arrays.copyOf(bytes, read),
          SegmentHeader.unchecked(kind, bytes));
    } catch (CorruptFileException e) {
      // No regular file, as was told.
      return null;
    }
  }

  /** The file that is read. */
  public Path file() {
    return file;
  }

  /** The header of the file. */
  public SegmentHeader header() {
    return header;
  }

  /** Whether a first record was ever begun: whether its header is not all zeros. */
  boolean isUsed() {
    int to = Math.min(bytes.length, SegmentHeader.BYTES + LogFormat.RECORD_HEADER_BYTES);
    for (int i = SegmentHeader.BYTES; i < to; i++) {
      if (bytes[i] != 0) {
        return true;
      }
    }
    return false;
  }

  /** Length of the file, in bytes. */
  public int fileBytes() {
    return bytes.length;
  }

  /** {@link #next(int)} up to the end of the file. */
  public boolean next() throws UnsupportedFileException {
    return next(bytes.length);
  }

  /**
   * Moves to the next record of a known type that ends at or before {@code limit}.
   *
   * @return false, and stays, if the bytes at {@link #end} are no intact record
   * @throws UnsupportedFileException for an intact record of an unknown type that must be known
   */
  public boolean next(int limit) throws UnsupportedFileException {
    while (isIntact(end, limit)) {
      at = end;
      end += LogFormat.recordBytes(LogFormat.length(bytes, at));
      checksum = LogFormat.chain(checksum, Fixed.getInt(bytes, at));
      watermark = Math.max(watermark, LogFormat.watermark(bytes, at));
      int type = type();
      if (type == LogFormat.HEAD || type == LogFormat.DATA) {
        return true;
      }
      if (type < LogFormat.SKIPPABLE) {
        throw new UnsupportedFileException(
            file + ": record of unknown type " + type + " at offset " + at);
      }
    }
    return false;
  }

  /** The type of the current record. */
  public int type() {
    return LogFormat.type(bytes, at);
  }

  /** The array that holds the payload; never changes, not to be written to. */
  public byte[] array() {
    return bytes;
  }

  /** Where the payload of the current record starts in {@link #array}. */
  public int payloadOffset() {
    return at + LogFormat.RECORD_HEADER_BYTES;
  }

  /** Length of the payload of the current record. */
  public int payloadLength() {
    return LogFormat.length(bytes, at);
  }

  /** Offset of the current record in the file. */
  public int offset() {
    return at;
  }

  /** Offset after the last intact record. */
  public int end() {
    return end;
  }

  /** Running checksum of the records up to {@link #end}. */
  public long checksum() {
    return checksum;
  }

  /** Greatest watermark of the records up to {@link #end}. */
  public long watermark() {
    return watermark;
  }

  /**
   * Looks for intact records after {@link #end}, at every offset where one may start. Takes time
   * linear in the length of the file, whatever its bytes are.
   */
  public Remains remains() {
    RangeCrc crcs = new RangeCrc(bytes);
    int records = 0;
    int first = -1;
    long greatest = 0;
    int position = end;
    while (bytes.length - position >= LogFormat.RECORD_HEADER_BYTES) {
      if (!isIntact(position, crcs)) {
        position += Long.BYTES;
        continue;
      }
      records++;
      first = first < 0 ? position : first;
      greatest = Math.max(greatest, LogFormat.watermark(bytes, position));
      position += LogFormat.recordBytes(LogFormat.length(bytes, position));
    }
    return new Remains(records, first, greatest);
  }

  /**
   * Passes over bytes that are no intact record, to the next one that is and that ends at or before
   * a limit; {@link #next} then moves to it.
   *
   * @return false, and stays, if there is none
   */
  public boolean skipDamage(int limit) {
    RangeCrc crcs = new RangeCrc(bytes);
    for (int position = end;
        limit - position >= LogFormat.RECORD_HEADER_BYTES;
        position += Long.BYTES) {
      if (LogFormat.plausible(bytes, position, limit) && isIntact(position, crcs)) {
        end = position;
        return true;
      }
    }
    return false;
  }

  /** The damage at {@link #end}, with what was found after it. */
  public CorruptFileException damage(String proof, int intactRecords) {
    return new CorruptFileException(
        file,
        end,
        "no intact record here ("
            + Bytes.hex(bytes, end, Math.min(bytes.length - end, LogFormat.RECORD_HEADER_BYTES))
            + "), though "
            + proof
            + "; intact records after it: "
            + intactRecords);
  }

  private boolean isIntact(int position, int limit) {
    if (!LogFormat.plausible(bytes, position, limit)) {
      return false;
    }
    int from = LogFormat.checkedFrom(position);
    int to = LogFormat.checkedTo(position, LogFormat.length(bytes, position));
    return matches(position, Crc32c.of(bytes, from, to - from));
  }

  private boolean isIntact(int position, RangeCrc crcs) {
    if (!LogFormat.plausible(bytes, position, bytes.length)) {
      return false;
    }
    int from = LogFormat.checkedFrom(position);
    int to = LogFormat.checkedTo(position, LogFormat.length(bytes, position));
    return matches(position, crcs.of(from, to));
  }

  private boolean matches(int position, int bare) {
    return Fixed.getInt(bytes, position) == Crc32c.bind(bare, header.uniqueId(), position);
  }
}
