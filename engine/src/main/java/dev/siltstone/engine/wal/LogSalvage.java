package dev.siltstone.engine.wal;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Takes from a damaged log, which {@link LogRecovery} refuses, every record that is provably
 * intact: its checksum is bound to the file's unique id and to its offset, so that neither what a
 * recycled file held before nor a record that was moved is taken for one. Writes nothing.
 *
 * <ol>
 *   <li>From the newest segment back: a segment whose HEAD names an earlier one is followed to that
 *       one, and what lies between was cut off by an earlier recovery and does not count, nor does
 *       what the earlier one holds after the length that is named. Where no HEAD leads on, the next
 *       earlier segment counts as a whole.
 *   <li>Each of those is read from front to back, oldest first; bytes that are no intact record are
 *       passed over and told.
 * </ol>
 */
public final class LogSalvage {
  /** A shorter file does not say whether a record was ever begun. */
  private static final int USE_BYTES_MIN = SegmentHeader.BYTES + LogFormat.RECORD_HEADER_BYTES;

  private final FileSystem fileSystem;
  private final Path directory;
  private final @Nullable Long storeId;
  private final long oldest;
  private final long newest;
  private final Consumer<CorruptFileException> losses;

  /** Takes the records. */
  @FunctionalInterface
  public interface Sink {
    /**
     * One record, in the order of the log.
     *
     * @param file the segment
     * @param array holds the payload; never changes, not to be written to
     * @param offset where the payload starts in the array, and in the file
     * @param length length of the payload
     * @throws CorruptFileException if the payload is no batch; it is told, and the next one comes
     */
    void record(Path file, byte[] array, int offset, int length) throws IOException;
  }

  /** A segment that counts, up to a length; {@code Integer.MAX_VALUE} if nothing names one. */
  private record Part(long number, int limit) {}

  private LogSalvage(
      FileSystem fileSystem,
      Path directory,
      @Nullable Long storeId,
      long oldest,
      long newest,
      Consumer<CorruptFileException> losses) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.storeId = storeId;
    this.oldest = oldest;
    this.newest = newest;
    this.losses = losses;
  }

  /**
   * Reads what can be read.
   *
   * @param storeId what intact headers must say; {@code null} if that is not known
   * @param oldest segments with a smaller number are not needed; 0 if that is not known
   * @param newest a segment that is known to have existed; 0 if none is
   * @param losses is told what is damaged or missing, by file and offset
   */
  public static void run(
      FileSystem fileSystem,
      Path directory,
      @Nullable Long storeId,
      long oldest,
      long newest,
      Sink sink,
      Consumer<CorruptFileException> losses)
      throws IOException {
    LogSalvage salvage = new LogSalvage(fileSystem, directory, storeId, oldest, newest, losses);
    for (Part part : salvage.parts()) {
      salvage.read(part, sink);
    }
  }

  private Path path(long number) {
    return directory.resolve(FileNames.log(number));
  }

  /** The segments that count, oldest first. */
  private List<Part> parts() throws IOException {
    NavigableSet<Long> numbers = new TreeSet<>();
    for (String name : fileSystem.list(directory)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null
          && parsed.kind() == FileNames.Kind.LOG
          && parsed.number() >= oldest
          && belongs(parsed.number())) {
        numbers.add(parsed.number());
      }
    }
    if (newest >= oldest && newest > 0 && !numbers.contains(newest)) {
      missing(newest);
    }
    List<Part> parts = new ArrayList<>();
    SegmentHead next = null;
    for (long number : numbers.descendingSet()) {
      if (next != null && number > next.predecessor()) {
        continue;
      }
      if (next != null && number < next.predecessor()) {
        missing(next.predecessor());
        next = null;
      }
      List<CorruptFileException> faults = new ArrayList<>();
      SegmentReader reader = open(number, faults::add);
      if (reader == null || reader.fileBytes() < USE_BYTES_MIN) {
        // It was cut, since a whole one is durable before a record is written into it; nobody can
        // tell whether one was.
        faults.forEach(losses);
        next = null;
        continue;
      }
      if (next == null && reader.remains().records() == 0 && !reader.isUsed()) {
        continue;
      }
      int limit = next == null ? Integer.MAX_VALUE : (int) next.length();
      parts.addFirst(new Part(number, limit));
      next = head(reader);
      if (next != null && (next.predecessor() == 0 || next.predecessor() < oldest)) {
        return parts;
      }
    }
    if (next != null) {
      missing(next.predecessor());
    }
    return parts;
  }

  private void missing(long number) {
    // Without a manifest nobody knows whether it was needed still.
    if (oldest > 0) {
      losses.accept(new CorruptFileException(path(number), -1, "missing log segment"));
    }
  }

  private @Nullable SegmentReader open(long number, Consumer<CorruptFileException> faults)
      throws IOException {
    return SegmentReader.openDamaged(fileSystem, path(number), LogKind.WAL, faults);
  }

  /** Whether a segment is not known to be another file. */
  private boolean belongs(long number) throws IOException {
    boolean[] damaged = new boolean[1];
    SegmentReader reader = open(number, _ -> damaged[0] = true);
    if (reader == null || damaged[0]) {
      return true;
    }
    SegmentHeader header = reader.header();
    boolean same = header.number() == number && (storeId == null || header.storeId() == storeId);
    if (!same) {
      losses.accept(
          new CorruptFileException(
              path(number),
              0,
              "the header says that this is segment %d of store %016x"
                  .formatted(header.number(), header.storeId())));
    }
    return same;
  }

  private static @Nullable SegmentHead head(SegmentReader reader) throws IOException {
    boolean leads =
        reader.next()
            && reader.type() == LogFormat.HEAD
            && reader.payloadLength() == SegmentHead.BYTES;
    if (!leads) {
      return null;
    }
    SegmentHead head = SegmentHead.decode(reader.array(), reader.payloadOffset());
    boolean possible =
        head.predecessor() >= 0
            && head.predecessor() < numberOf(reader)
            && head.length() >= 0
            && head.length() <= LogFormat.FILE_BYTES_MAX;
    return possible ? head : null;
  }

  private static long numberOf(SegmentReader reader) {
    FileNames.Parsed name = FileNames.parse(String.valueOf(reader.file().getFileName()));
    return name == null ? 0 : name.number();
  }

  private void read(Part part, Sink sink) throws IOException {
    SegmentReader reader = open(part.number, losses);
    if (reader == null) {
      return;
    }
    int limit = Math.min(part.limit, reader.fileBytes());
    while (true) {
      if (reader.next(limit)) {
        take(reader, sink);
        continue;
      }
      int damage = reader.end();
      if (reader.skipDamage(limit)) {
        losses.accept(
            new CorruptFileException(
                reader.file(),
                damage,
                (reader.end() - damage) + " bytes hold no intact record; those after are taken"));
        continue;
      }
      boolean wasLonger = part.limit != Integer.MAX_VALUE && damage < part.limit;
      if (wasLonger || reader.watermark() > damage) {
        long durable = wasLonger ? part.limit : reader.watermark();
        losses.accept(
            new CorruptFileException(
                reader.file(), damage, (durable - damage) + " bytes up to the end are lost"));
      }
      return;
    }
  }

  private void take(SegmentReader reader, Sink sink) throws IOException {
    if (reader.type() != LogFormat.DATA) {
      return;
    }
    try {
      sink.record(reader.file(), reader.array(), reader.payloadOffset(), reader.payloadLength());
    } catch (CorruptFileException e) {
      losses.accept(e);
    }
  }
}
