package dev.siltstone.engine.wal;

import dev.siltstone.base.io.NoSpaceException;
import dev.siltstone.engine.file.FileNames;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The write-ahead log of a store: a chain of segments, the last of which is written.
 *
 * <p>A commit group is: {@link #append} for each batch and {@link #flush} once, or {@link
 * #flushThrough} if a member asked for a sync. After flush the group survives the process, after
 * flushThrough a power loss. {@link #sync} makes durable what was only flushed.
 *
 * <p>Each segment but the first names its predecessor with length and checksum. A segment is synced
 * only after its predecessors are, so a record that is known to be durable vouches for all before
 * it. Segments that are no longer needed are dropped from the old end only, in two steps: {@link
 * #oldestNeeded} gives the number for the manifest, and once that is durable {@link #release} lets
 * go of what lies before it.
 *
 * <p><b>Failure.</b> The log stays usable if append could not make a new segment, for want of space
 * or another reason: that batch alone is not in the log. It stays usable if flush failed for want
 * of space: the whole group is not in the log. After any other failure it is broken for good, and
 * what was not acknowledged may or may not be found by recovery.
 *
 * <p><b>Threads.</b> Append, flush and close: one leader at a time. All else: any thread, beside
 * the leader.
 */
public final class Log implements Closeable {
  private final SegmentFactory factory;

  /** Held while files are made. Taken before {@link #listLock}. */
  private final ReentrantLock factoryLock = new ReentrantLock();

  /** Held during a sync and while mappings are closed. Taken before {@link #listLock}. */
  private final ReentrantLock syncLock = new ReentrantLock();

  /** Guards {@link #live}, {@link #unsynced} and {@link #ended}; never held across file access. */
  private final ReentrantLock listLock = new ReentrantLock();

  /** All segments that may be needed, oldest first; the last one is active. */
  private final Deque<Segment> live = new ArrayDeque<>();

  /** Segments written by this log that are not durable to their end, oldest first. */
  private final Deque<Segment> unsynced = new ArrayDeque<>();

  /** Segments whose last record is in their file, and which may hold memory for more. */
  private final List<Segment> ended = new ArrayList<>();

  private volatile @Nullable LogWriter prepared;

  /** A segment on its way from the factory to {@link #live}. Guarded by factoryLock. */
  private @Nullable LogWriter taken;

  private volatile @Nullable IOException failure;
  private volatile boolean closed;

  // Touched by the leader only, but for the constructor.
  private Segment active;
  private final List<Segment> rolledInGroup = new ArrayList<>();
  private long groupEnd;
  private long groupChecksum;

  /** A segment; {@code writer} is null for one that recovery has read. */
  private static final class Segment {
    final long number;
    final long bytes;
    final @Nullable LogWriter writer;
    long maxTime;

    Segment(long number, long bytes, @Nullable LogWriter writer, long maxTime) {
      this.number = number;
      this.bytes = bytes;
      this.writer = writer;
      this.maxTime = maxTime;
    }

    Segment(LogWriter writer) {
      this(writer.header().number(), writer.limit(), writer, 0);
    }
  }

  private Log(SegmentFactory factory, LogRecovery recovered, LogWriter first) {
    this.factory = factory;
    for (LogSegment segment : recovered.segments()) {
      live.add(new Segment(segment.number(), segment.bytes(), null, segment.maxTime()));
    }
    this.active = new Segment(first);
    live.add(active);
    unsynced.add(active);
  }

  /**
   * Begins a new segment after what recovery has accepted. On return the accepted segments and the
   * head of the new one are durable, so that the end recovery decided on is final.
   *
   * @param recovered what recovery found; {@link LogRecovery#none} for a new store
   */
  public static Log open(LogConfig config, LogRecovery recovered) throws IOException {
    // A killed process may have left records that only the page cache holds. The first sync of the
    // new segment will vouch for them, so they have to be durable before it.
    for (LogSegment segment : recovered.segments()) {
      config.fileSystem().syncFile(config.directory().resolve(FileNames.log(segment.number())));
    }
    SegmentFactory factory = new SegmentFactory(config);
    LogWriter first = factory.create(SegmentHeader.BYTES);
    LogTail tail = recovered.tail();
    SegmentHead head =
        new SegmentHead(tail.number(), tail.length(), tail.checksum(), tail.length());
    try {
      first.append(LogFormat.HEAD, head.encode(), 0, SegmentHead.BYTES);
      first.flush();
      first.sync();
    } catch (IOException e) {
      first.close();
      throw e;
    }
    Log log = new Log(factory, recovered, first);
    log.beginGroup();
    return log;
  }

  /**
   * Appends one batch. It costs no system call unless a new segment is needed that was not {@link
   * #prepare prepared}.
   *
   * @param payload may be borrowed until the next flush
   * @param time hybrid time of the batch
   * @throws NoSpaceException if there is no space for a new segment; the log is as it was
   */
  public void append(byte[] payload, int offset, int length, long time) throws IOException {
    if (closed) {
      throw new IOException("the log is closed");
    }
    LogWriter writer = writer(active);
    if (!writer.fits(length)) {
      checkUsable();
      roll(length);
      writer = writer(active);
    }
    try {
      writer.append(LogFormat.DATA, payload, offset, length);
    } catch (IOException e) {
      throw broken(e);
    }
    active.maxTime = Math.max(active.maxTime, time);
  }

  /**
   * Hands all appended batches to the operating system. Costs nothing on a mapped log.
   *
   * @throws NoSpaceException if the disk is full; all batches since the last flush are taken back
   */
  public void flush() throws IOException {
    checkUsable();
    try {
      for (int i = 0; i < rolledInGroup.size(); i++) {
        writer(rolledInGroup.get(i)).flush();
      }
      writer(active).flush();
    } catch (NoSpaceException e) {
      undoGroup();
      throw e;
    } catch (IOException e) {
      throw broken(e);
    }
    beginGroup();
  }

  /**
   * {@link #flush}, and makes everything durable that was appended: for a commit group of which a
   * member asked for it. Takes one call of the system where nothing else is to be made durable.
   *
   * @throws NoSpaceException as flush does
   * @throws LogSyncException if it was written, but could not be made durable
   */
  public void flushThrough() throws IOException {
    checkUsable();
    if (!rolledInGroup.isEmpty() || !isActiveAllThatIsUnsynced() || !activeFlushedThrough()) {
      flush();
      sync();
    }
  }

  private boolean activeFlushedThrough() throws IOException {
    syncLock.lock();
    try {
      if (!writer(active).flushThrough()) {
        return false;
      }
    } catch (IOException e) {
      throw broken(new LogSyncException(e));
    } finally {
      syncLock.unlock();
    }
    beginGroup();
    return true;
  }

  /** Only the leader adds segments, so that this stays true for as long as the leader wants. */
  private boolean isActiveAllThatIsUnsynced() {
    listLock.lock();
    try {
      return unsynced.size() == 1 && unsynced.getFirst() == active;
    } finally {
      listLock.unlock();
    }
  }

  /**
   * Makes everything durable that was flushed before this call.
   *
   * @throws LogSyncException if that failed
   */
  public void sync() throws IOException {
    checkUsable();
    syncLock.lock();
    try {
      for (Segment segment : unsyncedNow()) {
        LogWriter writer = writer(segment);
        writer.sync();
        if (!forgetIfSynced(segment, writer)) {
          // Either the active segment, or one whose rest the leader has yet to flush. A sync of a
          // later segment would vouch for that rest.
          return;
        }
      }
    } catch (IOException e) {
      throw broken(new LogSyncException(e));
    } finally {
      syncLock.unlock();
    }
  }

  /**
   * Makes the next segment ready, if none is, so that the leader does not have to. For a background
   * thread; writes a whole segment of zeros unless an old file can be reused. Also gives up the
   * memory of segments that are written to their end.
   */
  public void prepare() throws IOException {
    factoryLock.lock();
    try {
      if (prepared == null && !closed && failure == null) {
        prepared = factory.create(SegmentHeader.BYTES);
      }
    } finally {
      factoryLock.unlock();
    }
    // Last, since it may have to wait for a sync, and the leader meanwhile for the segment.
    endAppending();
  }

  /**
   * Lets go of what is ready for more to come, if nothing was appended for a while: the files kept
   * for reuse and the next segment, unless that is short.
   */
  public void shrink() {
    factoryLock.lock();
    try {
      factory.shrink();
      LogWriter next = prepared;
      if (next != null && factory.isGrown(next)) {
        prepared = null;
        closeQuietly(next);
      }
    } finally {
      factoryLock.unlock();
    }
  }

  private void endAppending() {
    syncLock.lock();
    try {
      for (Segment segment : takeEnded()) {
        writer(segment).endAppending();
      }
    } catch (IOException e) {
      // It keeps its memory until it is released; nothing else is lost.
    } finally {
      syncLock.unlock();
    }
  }

  private List<Segment> takeEnded() {
    listLock.lock();
    try {
      List<Segment> taken = List.copyOf(ended);
      ended.clear();
      return taken;
    } finally {
      listLock.unlock();
    }
  }

  /** Whether {@link #prepare} has something to do. */
  public boolean needsPrepare() {
    return prepared == null;
  }

  /**
   * The number of the oldest segment that is needed once all records with a time of at most {@code
   * flushedTime} are in tables. The active segment is always needed.
   */
  public long oldestNeeded(long flushedTime) {
    listLock.lock();
    try {
      for (Segment segment : live) {
        if (segment == live.getLast() || segment.maxTime > flushedTime) {
          return segment.number;
        }
      }
      throw new IllegalStateException("no active segment");
    } finally {
      listLock.unlock();
    }
  }

  /**
   * Lets go of all segments with a smaller number. To be called only after a manifest that names
   * {@code oldestNeeded} is durable. The files stay until they are reused or swept.
   *
   * @param oldestNeeded from {@link #oldestNeeded}
   */
  public void release(long oldestNeeded) {
    factoryLock.lock();
    syncLock.lock();
    try {
      for (Segment segment : takeBefore(oldestNeeded)) {
        if (segment.writer != null) {
          closeQuietly(segment.writer);
        }
        factory.recycle(segment.number, segment.bytes);
      }
    } finally {
      syncLock.unlock();
      factoryLock.unlock();
    }
  }

  /** The number of the segment that is written now. */
  public long activeNumber() {
    listLock.lock();
    try {
      return live.getLast().number;
    } finally {
      listLock.unlock();
    }
  }

  /**
   * Up to where the log is durable: an offset in one segment, and all segments before it. Recovery
   * has to find records up to there at least. {@link LogTail#NONE} if nothing of what this log has
   * written is known to be.
   */
  public LogTail durable() {
    listLock.lock();
    try {
      LogTail newest = LogTail.NONE;
      for (Segment segment : live) {
        if (segment.writer != null && segment.writer.synced() > 0) {
          newest = new LogTail(segment.number, segment.writer.synced(), 0);
        }
      }
      return newest;
    } finally {
      listLock.unlock();
    }
  }

  /** The segments that are needed, oldest first; the last one is active. */
  public List<LogSegment> segments() {
    listLock.lock();
    try {
      List<LogSegment> result = new ArrayList<>(live.size());
      for (Segment segment : live) {
        result.add(new LogSegment(segment.number, segment.bytes, segment.maxTime));
      }
      return result;
    } finally {
      listLock.unlock();
    }
  }

  /** Bytes of all segments that are needed. */
  public long totalBytes() {
    long total = 0;
    for (LogSegment segment : segments()) {
      total += segment.bytes();
    }
    return total;
  }

  /** Numbers of all files of the log: needed, prepared, kept for reuse. Others are obsolete. */
  public List<Long> fileNumbers() {
    factoryLock.lock();
    try {
      List<Long> result = new ArrayList<>(factory.pooled());
      LogWriter next = prepared;
      if (next != null) {
        result.add(next.header().number());
      }
      // Before the live ones: it is among them before it is not here any more.
      LogWriter under = taken;
      if (under != null) {
        result.add(under.header().number());
      }
      for (LogSegment segment : segments()) {
        result.add(segment.number());
      }
      return result;
    } finally {
      factoryLock.unlock();
    }
  }

  /**
   * Syncs what was appended, notes in the log that it is durable, and closes all files. Idempotent.
   *
   * @throws IOException if the sync failed; the files are closed nevertheless
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      if (failure == null) {
        flush();
        sync();
        // A reader then knows of all records that they were durable, the last one included.
        writer(active).appendMark();
        flush();
        sync();
      }
    } finally {
      closeFiles();
    }
  }

  private void closeFiles() {
    factoryLock.lock();
    syncLock.lock();
    try {
      LogWriter next = prepared;
      prepared = null;
      if (next != null) {
        closeQuietly(next);
      }
      for (Segment segment : live) {
        if (segment.writer != null) {
          closeQuietly(segment.writer);
        }
      }
    } finally {
      syncLock.unlock();
      factoryLock.unlock();
    }
  }

  /** Makes a new segment with room for a record the active one. */
  private void roll(int payloadLength) throws IOException {
    LogWriter last = writer(active);
    LogWriter next = takeNext(payloadLength);
    SegmentHead head =
        new SegmentHead(
            active.number, last.end(), last.checksum(), Math.min(last.synced(), last.end()));
    try {
      next.append(LogFormat.HEAD, head.encode(), 0, SegmentHead.BYTES);
    } catch (IOException e) {
      arrived();
      closeQuietly(next);
      throw broken(e);
    }
    Segment segment = new Segment(next);
    rolledInGroup.add(active);
    listLock.lock();
    try {
      live.addLast(segment);
      unsynced.addLast(segment);
    } finally {
      listLock.unlock();
    }
    active = segment;
    arrived();
  }

  private void arrived() {
    factoryLock.lock();
    try {
      taken = null;
    } finally {
      factoryLock.unlock();
    }
  }

  private LogWriter takeNext(int payloadLength) throws IOException {
    int bytes =
        Math.addExact(
            SegmentHeader.BYTES + SegmentHead.RECORD_BYTES + LogFormat.MARK_RECORD_BYTES,
            LogFormat.recordBytes(payloadLength));
    factoryLock.lock();
    try {
      LogWriter ready = prepared;
      if (ready != null && ready.limit() >= bytes) {
        prepared = null;
        taken = ready;
        return ready;
      }
      LogWriter made = factory.create(bytes);
      taken = made;
      if (ready != null) {
        // Numbers rise along the chain, so a segment prepared earlier cannot follow the new one. It
        // is not reused: a power loss could undo the renaming and leave its name, which recovery
        // looks at, with a half-written header.
        prepared = null;
        closeQuietly(ready);
      }
      return made;
    } finally {
      factoryLock.unlock();
    }
  }

  private void beginGroup() {
    if (!rolledInGroup.isEmpty()) {
      listLock.lock();
      try {
        ended.addAll(rolledInGroup);
      } finally {
        listLock.unlock();
      }
      rolledInGroup.clear();
    }
    groupEnd = writer(active).end();
    groupChecksum = writer(active).checksum();
  }

  /** Takes back all records since the last good flush, in whichever segments they are. */
  private void undoGroup() {
    if (rolledInGroup.isEmpty()) {
      writer(active).rewind(groupEnd, groupChecksum);
      return;
    }
    Segment first = rolledInGroup.getFirst();
    syncLock.lock();
    listLock.lock();
    try {
      while (live.getLast() != first) {
        Segment later = live.removeLast();
        unsynced.remove(later);
        // Its file is obsolete now: the next segment will name `first` as its predecessor.
        closeQuietly(writer(later));
      }
      if (!unsynced.contains(first)) {
        unsynced.addLast(first);
      }
    } finally {
      listLock.unlock();
      syncLock.unlock();
    }
    active = first;
    writer(active).rewind(groupEnd, groupChecksum);
    rolledInGroup.clear();
    beginGroup();
  }

  private List<Segment> unsyncedNow() {
    listLock.lock();
    try {
      return List.copyOf(unsynced);
    } finally {
      listLock.unlock();
    }
  }

  private boolean forgetIfSynced(Segment segment, LogWriter writer) {
    listLock.lock();
    try {
      // The end of a segment that is no longer active stays as it is.
      boolean done = segment != live.getLast() && writer.synced() >= writer.endAcquire();
      if (done) {
        unsynced.remove(segment);
      }
      return done;
    } finally {
      listLock.unlock();
    }
  }

  private List<Segment> takeBefore(long number) {
    List<Segment> taken = new ArrayList<>();
    listLock.lock();
    try {
      while (live.getFirst().number < number && live.size() > 1) {
        Segment segment = live.removeFirst();
        unsynced.remove(segment);
        taken.add(segment);
      }
      return taken;
    } finally {
      listLock.unlock();
    }
  }

  private static LogWriter writer(Segment segment) {
    LogWriter writer = segment.writer;
    if (writer == null) {
      throw new IllegalStateException("segment " + segment.number + " is only read");
    }
    return writer;
  }

  private void checkUsable() throws IOException {
    IOException before = failure;
    if (before != null) {
      throw new IOException("the log failed before", before);
    }
  }

  private IOException broken(IOException cause) {
    if (failure == null) {
      failure = cause;
    }
    return cause;
  }

  private static void closeQuietly(LogWriter writer) {
    try {
      writer.close();
    } catch (IOException e) {
      // Nothing that was acknowledged depends on it: what had to be durable was synced before.
    }
  }
}
