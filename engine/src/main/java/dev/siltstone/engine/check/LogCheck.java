package dev.siltstone.engine.check;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.wal.LogRecovery;
import dev.siltstone.engine.wal.LogSegment;
import dev.siltstone.engine.wal.LogTail;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the log as recovery does, and what its batches hold. After damage, which ends that, each
 * segment is looked at by itself.
 */
final class LogCheck {
  private final StoreCheck.Place place;
  private final Findings findings;
  private final States states;
  private final StoreCheck.@Nullable Live live;

  /** By number of the blob; those of records that are in no table yet. */
  private final Map<Long, Reference> references = new LinkedHashMap<>();

  private @Nullable LogRecovery recovered;
  private CheckReport.Count count = CheckReport.Count.NONE;
  private long entries;

  /** Gives the state of this moment. */
  @FunctionalInterface
  interface States {
    @Nullable StoreState latest() throws IOException;
  }

  /** A record of the log that refers to a blob. */
  record Reference(int treeId, long time, BlobReference blob) {}

  LogCheck(
      StoreCheck.Place place, Findings findings, States states, StoreCheck.@Nullable Live live) {
    this.place = place;
    this.findings = findings;
    this.states = states;
    this.live = live;
  }

  void run(long storeId) throws IOException {
    long before = findings.faultCount();
    recovered = findings.confirmed(() -> read(storeId));
    LogRecovery found = recovered;
    if (found == null) {
      StoreState state = states.latest();
      CorruptFileException first =
          findings.faultCount() > before && !findings.faults().isEmpty()
              ? findings.faults().getLast()
              : null;
      checkEach(state == null ? 0 : state.oldestLog(), first);
      return;
    }
    for (LogSegment segment : found.segments()) {
      count = count.plus(1, segment.bytes(), 0);
      findings.progress(place.path(FileNames.log(segment.number())), segment.bytes());
    }
    count = count.plus(0, 0, entries);
  }

  private LogRecovery read(long storeId) throws IOException {
    StoreState state = states.latest();
    if (state == null) {
      throw new IllegalStateException("no state");
    }
    references.clear();
    entries = 0;
    LogTail durable = live == null ? LogTail.NONE : live.durable();
    LogRecovery found =
        LogRecovery.run(
            place.fileSystem(),
            place.directory(),
            storeId,
            state.oldestLog(),
            state.newestLog(),
            (file, array, offset, length) -> record(state, file, array, offset, length));
    LogTail tail = found.tail();
    if (tail.number() < durable.number()
        || (tail.number() == durable.number() && tail.length() < durable.length())) {
      throw new CorruptFileException(
          place.path(FileNames.log(Math.max(1, tail.number()))),
          tail.length(),
          "the log ends here, though it is durable to offset "
              + durable.length()
              + " of segment "
              + durable.number());
    }
    return found;
  }

  /** Looks at each segment by itself; faults of one file that were reported are not again. */
  void checkEach(long oldest, @Nullable CorruptFileException reported) throws IOException {
    LogRecovery.checkEach(
        place.fileSystem(),
        place.directory(),
        oldest,
        fault -> {
          if (reported == null || !reported.file().equals(fault.file())) {
            findings.fault(fault);
          }
        });
  }

  private long record(StoreState state, Path file, byte[] array, int offset, int length)
      throws IOException {
    BatchReader batch = new BatchReader();
    try {
      batch.open(array, offset, length);
      while (batch.next()) {
        entries++;
        take(state, batch);
      }
    } catch (IOException e) {
      throw new CorruptFileException(file, offset, String.valueOf(e.getMessage()));
    }
    return batch.time();
  }

  private void take(StoreState state, BatchReader record) throws IOException {
    TreeState tree = state.tree(record.treeId());
    if (tree == null) {
      if (record.treeId() >= state.nextTreeId()) {
        throw new IOException("a record of tree " + record.treeId() + ", which never was");
      }
      return;
    }
    if (KeyKind.isSeparated(record.kind()) && record.time() > tree.flushedTime()) {
      int skip = KeyKind.expires(record.kind()) ? KeyKind.EXPIRY_BYTES : 0;
      BlobReference blob = BlobReference.read(record.array(), record.valueOffset() + skip);
      references.put(blob.fileNumber(), new Reference(record.treeId(), record.time(), blob));
    }
  }

  CheckReport.Count count() {
    return count;
  }

  Collection<Reference> references() {
    return references.values();
  }

  /** Segments of another store; none if the log could not be read. */
  Set<Long> foreign() {
    return recovered == null ? Set.of() : recovered.foreign();
  }

  /** Adds the numbers of segments and blobs that the log needs: all segments if it is damaged. */
  void addFileNumbers(Collection<String> names, Set<Long> numbers) {
    LogRecovery found = recovered;
    numbers.addAll(references.keySet());
    if (found == null) {
      for (String name : names) {
        FileNames.Parsed parsed = FileNames.parse(name);
        if (parsed != null && parsed.kind() == FileNames.Kind.LOG) {
          numbers.add(parsed.number());
        }
      }
      return;
    }
    for (LogSegment segment : found.segments()) {
      numbers.add(segment.number());
    }
    numbers.addAll(found.foreign());
  }
}
