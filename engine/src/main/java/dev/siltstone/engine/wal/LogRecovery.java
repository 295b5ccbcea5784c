package dev.siltstone.engine.wal;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log of a store and decides where it ends. Writes nothing; run again, it decides the
 * same.
 *
 * <ol>
 *   <li>Every segment file has a durable header. One with a damaged header is damage; one of
 *       another store, or with another number than its name, is foreign and passed over.
 *   <li>The newest segment with an intact HEAD record is the tip. Following the HEADs back to the
 *       first number that is needed gives the chain. Where the way back meets a segment without
 *       HEAD, it is damage or a torn tail as below, and the search goes on before it. Segments
 *       beside the chain do not count: they were prepared and never used, or an earlier recovery or
 *       a full disk cut them off.
 *   <li>The chain is read forward, each segment up to the length that its successor names.
 *   <li>If a segment has no intact record at offset b, before that length (or, for the tip, at
 *       all): it is <em>damage</em> if b is known to have been durable, that is if an intact record
 *       further on in the segment has a watermark above b, or the successor's HEAD says so, or a
 *       later segment has a record with a watermark above zero, since a segment is synced after its
 *       predecessors only. Otherwise it is a <em>torn tail</em>, as a power loss leaves it: the log
 *       ends at b, and what later segments hold does not count.
 * </ol>
 *
 * <p>After a torn tail the next segment names the length that was accepted, so that every later
 * recovery ends this segment at the same offset, whatever lies behind it.
 */
public final class LogRecovery {
  private final FileSystem fileSystem;
  private final Path directory;
  private final long storeId;
  private final List<LogSegment> segments = new ArrayList<>();

  /** Where the accepted records of each segment end. */
  private final List<Integer> ends = new ArrayList<>();

  private final Set<Long> ignored = new HashSet<>();
  private final Set<Long> foreign = new HashSet<>();
  private LogTail tail = LogTail.NONE;

  /** Takes the records of the log. */
  @FunctionalInterface
  public interface Sink {
    /**
     * One record, in order.
     *
     * @param file the segment
     * @param array holds the payload; never changes, may be kept, not to be written to
     * @param offset where the payload starts in the array, and in the file
     * @param length length of the payload
     * @return hybrid time of the batch
     * @throws CorruptFileException if the payload is no batch
     */
    long record(Path file, byte[] array, int offset, int length) throws IOException;
  }

  /** A segment file with an intact header; {@code head} is null if it has no HEAD record. */
  private record Found(long number, Path file, @Nullable SegmentHead head) {}

  private LogRecovery(FileSystem fileSystem, Path directory, long storeId) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.storeId = storeId;
  }

  /** The result for a store without a log. */
  public static LogRecovery none(FileSystem fileSystem, Path directory, long storeId) {
    return new LogRecovery(fileSystem, directory, storeId);
  }

  /**
   * Reads the log of a store.
   *
   * @param oldest segments with a smaller number are not needed, whatever they hold
   * @param newest a segment that is known to have existed and has to be there, unless it is not
   *     needed; 0 for none
   * @throws CorruptFileException for damage, with the file and the offset where it begins; for a
   *     segment that is missing, with the file and offset -1
   */
  public static LogRecovery run(
      FileSystem fileSystem, Path directory, long storeId, long oldest, long newest, Sink sink)
      throws IOException {
    LogRecovery recovery = new LogRecovery(fileSystem, directory, storeId);
    NavigableMap<Long, Found> found = recovery.find(oldest);
    if (newest >= oldest && newest > 0 && !found.containsKey(newest)) {
      throw recovery.missing(newest, "the manifest names it");
    }
    recovery.read(recovery.chain(found, oldest), sink);
    return recovery;
  }

  /**
   * Looks at each segment file by itself, for those who want to know of all damage, not of the
   * first one only: header, and that what is known to have been durable is there.
   *
   * @param oldest segments with a smaller number are not looked at
   * @param faults is told of each segment that is damaged
   */
  public static void checkEach(
      FileSystem fileSystem, Path directory, long oldest, Consumer<CorruptFileException> faults)
      throws IOException {
    List<String> names = new ArrayList<>(fileSystem.list(directory));
    names.sort(null);
    for (String name : names) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null || parsed.kind() != FileNames.Kind.LOG || parsed.number() < oldest) {
        continue;
      }
      try {
        Path file = directory.resolve(name);
        SegmentReader reader = SegmentReader.open(fileSystem, file, LogKind.WAL);
        if (reader.header().number() != parsed.number()) {
          throw new CorruptFileException(
              file, 0, "the header says that this is segment " + reader.header().number());
        }
        while (reader.next()) {
          // Only the place where this ends counts.
        }
        SegmentReader.Remains remains = reader.remains();
        if (remains.watermark() > reader.end()) {
          throw reader.damage(proof(remains), remains.records());
        }
      } catch (NoSuchFileException e) {
        // Removed since the listing, by a store that is open.
      } catch (CorruptFileException e) {
        faults.accept(e);
      }
    }
  }

  /**
   * Reads accepted records once more, for a caller who could not keep them all. Segments may have
   * been released meanwhile, but none reused or removed.
   *
   * @param after segments without a record of a later time are passed over
   */
  public void again(long after, Sink sink) throws IOException {
    for (int i = 0; i < segments.size(); i++) {
      LogSegment segment = segments.get(i);
      if (segment.maxTime() > after) {
        Path file = directory.resolve(FileNames.log(segment.number()));
        readRecords(SegmentReader.open(fileSystem, file, LogKind.WAL), ends.get(i), sink);
      }
    }
  }

  /** The segments whose records count, oldest first. */
  public List<LogSegment> segments() {
    return List.copyOf(segments);
  }

  /** Where the log ends. */
  public LogTail tail() {
    return tail;
  }

  /** Numbers of segment files that hold nothing that counts; they may be removed. */
  public Set<Long> ignored() {
    return Set.copyOf(ignored);
  }

  /** Numbers of segment files that belong to another store or had another number; to be kept. */
  public Set<Long> foreign() {
    return Set.copyOf(foreign);
  }

  private NavigableMap<Long, Found> find(long oldest) throws IOException {
    NavigableMap<Long, Found> found = new TreeMap<>();
    for (String name : fileSystem.list(directory)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null || parsed.kind() != FileNames.Kind.LOG || parsed.number() < oldest) {
        continue;
      }
      Path file = directory.resolve(name);
      SegmentReader start =
          SegmentReader.openStart(fileSystem, file, LogKind.WAL, SegmentHead.RECORD_BYTES);
      SegmentHeader header = start.header();
      if (header.storeId() != storeId || header.number() != parsed.number()) {
        foreign.add(parsed.number());
        continue;
      }
      found.put(parsed.number(), new Found(parsed.number(), file, head(start)));
    }
    return found;
  }

  /** Reads the HEAD record; null if the segment was never used. */
  private @Nullable SegmentHead head(SegmentReader start) throws IOException {
    if (start.next()) {
      return decodeHead(start);
    }
    SegmentReader reader = SegmentReader.open(fileSystem, start.file(), LogKind.WAL);
    SegmentReader.Remains remains = reader.remains();
    if (remains.watermark() > reader.end()) {
      throw reader.damage(proof(remains), remains.records());
    }
    return null;
  }

  private static SegmentHead decodeHead(SegmentReader reader) throws CorruptFileException {
    if (reader.type() != LogFormat.HEAD || reader.payloadLength() != SegmentHead.BYTES) {
      throw new CorruptFileException(
          reader.file(), reader.offset(), "the first record is no HEAD record");
    }
    SegmentHead head = SegmentHead.decode(reader.array(), reader.payloadOffset());
    boolean none = head.predecessor() == 0;
    if (head.predecessor() < 0
        || head.predecessor() >= reader.header().number()
        || head.length() < (none ? 0 : SegmentHeader.BYTES)
        || head.length() > LogFormat.FILE_BYTES_MAX
        || head.synced() < 0
        || head.synced() > head.length()) {
      throw new CorruptFileException(reader.file(), reader.offset(), "impossible: " + head);
    }
    return head;
  }

  /** The segments that follow from each other, oldest first. */
  private List<Found> chain(NavigableMap<Long, Found> found, long oldest) throws IOException {
    ignored.addAll(found.keySet());
    List<Found> chain = new ArrayList<>();
    Found at = tip(found);
    while (at != null && at.head != null) {
      chain.addFirst(at);
      long predecessor = at.head.predecessor();
      if (predecessor == 0 || predecessor < oldest) {
        break;
      }
      Found before = found.get(predecessor);
      if (before == null) {
        throw missing(predecessor, "segment " + at.number + " follows it");
      }
      if (before.head == null) {
        // A power loss took the whole content of this one and left some of later ones.
        SegmentReader reader = SegmentReader.open(fileSystem, before.file, LogKind.WAL);
        refuseDamage(reader, chain);
        chain.clear();
        at = tip(found.headMap(predecessor, false));
      } else {
        at = before;
      }
    }
    for (Found segment : chain) {
      ignored.remove(segment.number);
    }
    return chain;
  }

  /** The newest segment with a HEAD record, or null. */
  private static @Nullable Found tip(NavigableMap<Long, Found> found) {
    for (Found segment : found.descendingMap().values()) {
      if (segment.head != null) {
        return segment;
      }
    }
    return null;
  }

  private void read(List<Found> chain, Sink sink) throws IOException {
    for (int i = 0; i < chain.size(); i++) {
      Found segment = chain.get(i);
      SegmentHead next = i + 1 < chain.size() ? chain.get(i + 1).head : null;
      SegmentReader reader = SegmentReader.open(fileSystem, segment.file, LogKind.WAL);
      int limit =
          next == null ? reader.fileBytes() : (int) Math.min(next.length(), reader.fileBytes());
      long maxTime = readRecords(reader, limit, sink);
      segments.add(new LogSegment(segment.number, reader.fileBytes(), maxTime));
      ends.add(reader.end());
      tail = new LogTail(segment.number, reader.end(), reader.checksum());
      if (next != null && reader.end() == next.length()) {
        if (reader.checksum() != next.checksum()) {
          throw new CorruptFileException(
              segment.file,
              reader.end(),
              "the records before are not those that segment "
                  + chain.get(i + 1).number
                  + " was written after");
        }
        continue;
      }
      List<Found> rest = chain.subList(i + 1, chain.size());
      refuseDamage(reader, rest);
      for (Found later : rest) {
        ignored.add(later.number);
      }
      return;
    }
  }

  private static long readRecords(SegmentReader reader, int limit, Sink sink) throws IOException {
    long maxTime = 0;
    boolean first = true;
    while (reader.next(limit)) {
      if (first != (reader.type() == LogFormat.HEAD)) {
        throw new CorruptFileException(
            reader.file(), reader.offset(), "record of type " + reader.type() + " out of place");
      }
      if (!first) {
        long time =
            sink.record(
                reader.file(), reader.array(), reader.payloadOffset(), reader.payloadLength());
        maxTime = Math.max(maxTime, time);
      }
      first = false;
    }
    return maxTime;
  }

  /**
   * Throws if the segment that ends at {@code reader.end()} is known to have been longer.
   *
   * @param rest the segments of the chain that follow it
   */
  private void refuseDamage(SegmentReader reader, List<Found> rest) throws IOException {
    SegmentReader.Remains remains = reader.remains();
    int records = remains.records();
    String proof = remains.watermark() > reader.end() ? proof(remains) : null;
    for (Found later : rest) {
      SegmentHead head = later.head;
      // A segment is synced after its predecessors only, so any durable byte of a later one counts.
      boolean adjacent = head != null && head.predecessor() == reader.header().number();
      if (proof == null && head != null && head.synced() > (adjacent ? reader.end() : 0)) {
        proof =
            "segment "
                + later.number
                + " says that segment "
                + head.predecessor()
                + " was durable to "
                + head.synced();
      }
      SegmentReader laterReader = SegmentReader.open(fileSystem, later.file, LogKind.WAL);
      int laterRecords = 0;
      while (laterReader.next()) {
        laterRecords++;
      }
      SegmentReader.Remains laterRemains = laterReader.remains();
      records += laterRecords + laterRemains.records();
      if (proof == null && Math.max(laterReader.watermark(), laterRemains.watermark()) > 0) {
        proof = "segment " + later.number + " was synced after it";
      }
    }
    if (proof != null) {
      throw reader.damage(proof, records);
    }
  }

  private static String proof(SegmentReader.Remains remains) {
    return "a record further on says that all was durable to " + remains.watermark();
  }

  private CorruptFileException missing(long number, String proof) {
    return new CorruptFileException(
        directory.resolve(FileNames.log(number)), -1, "missing log segment; " + proof);
  }
}
