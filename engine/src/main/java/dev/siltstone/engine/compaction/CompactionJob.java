package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.StoredBlock;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges sources into output files by the rules of {@link DropRule}. Compactions and flushes are
 * the same job: the sources of a flush are memtables, its outputs go to level 0.
 *
 * <ol>
 *   <li>The range deletes of all sources are cut at each other's bounds; it is settled which live
 *       on.
 *   <li>Record by record in internal order: judge it, ask the filter if it stays, cut the output if
 *       it is time to, write it. A stored block among whose records lies nothing of another source,
 *       and of which everything stays, is written as it is.
 *   <li>Where an output ends, the parts of the surviving range deletes between its cuts are written
 *       into it, so that outputs share no key and deeper stays older.
 * </ol>
 *
 * <p>If anything fails, all outputs are abandoned and the sources remain as they were; whoever runs
 * the job makes the outputs known only after it has succeeded.
 *
 * <p>A job is run once, on one thread.
 */
public final class CompactionJob {
  /** Records between two looks at the control. */
  private static final int CONTROL_INTERVAL = 1_024;

  private final InternalIterator records;
  private final Limits limits;
  private final TableSink.Factory sinks;
  private final JobControl control;
  private final @Nullable CompactionFilter filter;
  private final DropRule rule;
  private final FragmentedRangeTombstones survivors;
  private final OutputSplitter splitter;
  private final FilterEntry filterEntry;

  /** Whether blocks are taken whole: a filter looks at every record. */
  private final boolean takesBlocks;

  private final List<TableSink> abandonable = new ArrayList<>();
  private final List<FileMeta> outputs = new ArrayList<>();
  private @Nullable TableSink sink;

  /**
   * First surviving fragment that is not yet written to its end, and where the last output ended.
   */
  private int fragment;

  private byte[] lastCut = Bytes.EMPTY;

  private long entriesIn;
  private long rawBytesIn;
  private long entriesOut;
  private long rawBytesOut;
  private long copied;
  private long hidden;
  private long shadowed;
  private long deletes;
  private long expired;
  private long filtered;
  private final long rangeTimes;

  /**
   * What bounds the outputs, and what may disappear.
   *
   * @param cutoff no reader stands before this time, now or ever
   * @param fileBytes size at which an output is ended
   * @param overlapBytesMax how much of the grandparents one output may overlap
   * @param grandparents files of the level below the output level, in key order
   * @param span the keys of the sources that are taken; no subtree record of the sources may lie
   *     before it and hide what is in it
   */
  public record Limits(
      long cutoff,
      long fileBytes,
      long overlapBytesMax,
      List<FileMeta> grandparents,
      KeySpan span) {
    /** Copies the list. */
    public Limits {
      grandparents = List.copyOf(grandparents);
    }

    /** Limits of a job that takes all of its sources. */
    public Limits(long cutoff, long fileBytes, long overlapBytesMax, List<FileMeta> grandparents) {
      this(cutoff, fileBytes, overlapBytesMax, grandparents, KeySpan.ALL);
    }

    /** The same for a part of the sources. */
    public Limits within(KeySpan part) {
      return new Limits(cutoff, fileBytes, overlapBytesMax, grandparents, part);
    }
  }

  /**
   * What came out.
   *
   * @param outputs in key order; they share no key
   */
  public record Result(List<FileMeta> outputs, JobStats stats) {
    /** Copies the list. */
    public Result {
      outputs = List.copyOf(outputs);
    }
  }

  /**
   * A job.
   *
   * @param records all records of the sources, merged; the job closes it
   * @param rangeTombstones all range deletes of the sources
   * @param older what lies outside the sources
   * @param sinks begins output files
   * @param control watches over the job
   * @param filter asked about live values, or {@code null}
   */
  public CompactionJob(
      InternalIterator records,
      FragmentedRangeTombstones rangeTombstones,
      OlderData older,
      Limits limits,
      TableSink.Factory sinks,
      JobControl control,
      @Nullable CompactionFilter filter) {
    this.records = records;
    this.limits = limits;
    this.sinks = sinks;
    this.control = control;
    this.filter = filter;
    this.filterEntry = new FilterEntry(records);
    KeySpan span = limits.span;
    RangeDeletes rangeDeletes =
        new RangeDeletes(rangeTombstones.clip(span.lower(), span.upper()), limits.cutoff, older);
    this.rule = new DropRule(limits.cutoff, older, rangeDeletes);
    this.survivors = rangeDeletes.survivors();
    this.rangeTimes = rangeDeletes.timesDropped();
    this.takesBlocks = filter == null;
    this.splitter =
        new OutputSplitter(limits.fileBytes, limits.overlapBytesMax, limits.grandparents);
  }

  /**
   * Does it.
   *
   * @throws JobCancelledException if the control said so
   * @throws FilterFailedException if the filter has failed
   */
  public Result run() throws IOException {
    boolean done = false;
    try (records) {
      limits.span.enter(records);
      for (long look = 0; isInSpan(); ) {
        if (entriesIn >= look) {
          look = entriesIn + CONTROL_INTERVAL;
          if (!control.proceed(stats())) {
            throw new JobCancelledException();
          }
        }
        if (takesBlocks && takeBlock()) {
          records.skipBlock();
        } else {
          take();
          records.next();
        }
      }
      finishOutputs();
      done = true;
    } finally {
      if (!done) {
        abandon();
      }
    }
    return new Result(outputs, stats());
  }

  /** Gives up all outputs, also those of a run that has succeeded. */
  void abandon() {
    abandonable.forEach(TableSink::abandon);
  }

  private boolean isInSpan() {
    return records.valid()
        && (limits.span.upper() == null
            || limits.span.reaches(records.keyArray(), records.keyOffset(), records.keyLength()));
  }

  /** How far the job is. On the job's thread only. */
  public JobStats stats() {
    return new JobStats(
        entriesIn,
        rawBytesIn,
        entriesOut,
        rawBytesOut,
        copied,
        hidden,
        shadowed,
        deletes,
        expired,
        filtered,
        rangeTimes);
  }

  /**
   * Takes the block that begins here as it is, if its records would all be kept; whether it did.
   */
  private boolean takeBlock() throws IOException {
    StoredBlock block = records.block();
    if (block == null || !staysWhole(block)) {
      return false;
    }
    byte[] last = block.lastKeyArray();
    int lastLength = block.lastKeyLength();
    cutBefore(records.keyArray(), records.keyOffset(), records.keyLength());
    if (splitter.endsBefore(last, lastLength)) {
      return false;
    }
    if (sink == null) {
      sink = begin();
    }
    if (!sink.add(block)) {
      return false;
    }
    splitter.added(last, 0, lastLength, sink.estimatedBytes());
    rule.kept(last, lastLength, block.lastTrailer());
    long bytes = block.rawBytes() + (long) Long.BYTES * block.count();
    entriesIn += block.count();
    rawBytesIn += bytes;
    entriesOut += block.count();
    rawBytesOut += bytes;
    copied += block.count();
    return true;
  }

  private boolean staysWhole(StoredBlock block) {
    return rule.keepsPuts(records.keyArray(), records.keyOffset(), records.keyLength())
        && limits.span.reaches(block.lastKeyArray(), 0, block.lastKeyLength())
        && block.isPlain();
  }

  /** Takes the current record. */
  private void take() throws IOException {
    byte[] key = records.keyArray();
    int offset = records.keyOffset();
    int length = records.keyLength();
    long trailer = records.trailer();
    byte[] value = records.valueArray();
    int valueOffset = records.valueOffset();
    int valueLength = records.valueLength();
    entriesIn++;
    rawBytesIn += length + Long.BYTES + valueLength;
    DropRule.Fate fate = rule.judge(key, offset, length, trailer, value, valueOffset, valueLength);
    if (fate == DropRule.Fate.KEEP && filter != null && isForFilter(trailer)) {
      fate = askFilter(filter);
      value = filterEntry.newValue();
      valueOffset = filterEntry.newOffset();
      valueLength = filterEntry.newLength();
    } else {
      count(fate);
      if (fate != DropRule.Fate.KEEP && KeyKind.isSeparated(Trailer.kind(trailer))) {
        control.separatedDropped(trailer, value, valueOffset, valueLength);
      }
    }
    if (fate == DropRule.Fate.KEEP) {
      write(key, offset, length, trailer, value, valueOffset, valueLength);
    } else if (fate == DropRule.Fate.TOMBSTONE) {
      write(key, offset, length, rule.tombstone(), Bytes.EMPTY, 0, 0);
    }
  }

  /** What the filter makes of the current record; the value to keep is in {@code filterEntry}. */
  private DropRule.Fate askFilter(CompactionFilter filter) throws FilterFailedException {
    CompactionFilter.Verdict verdict = verdict(filter);
    if (verdict != CompactionFilter.Verdict.DROP) {
      return DropRule.Fate.KEEP;
    }
    filtered++;
    return rule.delete(
        records.keyArray(), records.keyOffset(), records.keyLength(), records.trailer());
  }

  @SuppressWarnings("CatchingUnchecked") // A filter may throw anything; only the job fails.
  private CompactionFilter.Verdict verdict(CompactionFilter filter) throws FilterFailedException {
    try {
      filterEntry.begin();
      CompactionFilter.Verdict verdict =
          Objects.requireNonNull(filter.filter(filterEntry), "verdict");
      filterEntry.settle(verdict == CompactionFilter.Verdict.REPLACE);
      return verdict;
    } catch (RuntimeException | Error e) {
      String key = Bytes.hex(records.keyArray(), records.keyOffset(), records.keyLength());
      throw new FilterFailedException("failed at key 0x" + key + ": " + e, e);
    }
  }

  private void count(DropRule.Fate fate) {
    switch (fate) {
      case HIDDEN -> hidden++;
      case SHADOWED -> shadowed++;
      case DELETED -> deletes++;
      case EXPIRED -> expired++;
      case KEEP, TOMBSTONE -> {
        // Not dropped.
      }
    }
  }

  private boolean isForFilter(long trailer) {
    int kind = Trailer.kind(trailer);
    return Trailer.time(trailer) <= limits.cutoff
        && KeyKind.isPut(kind)
        && !KeyKind.isSeparated(kind);
  }

  private void write(
      byte[] key,
      int offset,
      int length,
      long trailer,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    cutBefore(key, offset, length);
    if (sink == null) {
      sink = begin();
    }
    sink.add(key, offset, length, trailer, value, valueOffset, valueLength);
    splitter.added(key, offset, length, sink.estimatedBytes());
    entriesOut++;
    rawBytesOut += length + Long.BYTES + valueLength;
  }

  /** Ends outputs as often as is due before a key. */
  private void cutBefore(byte[] key, int offset, int length) throws IOException {
    while (true) {
      if (sink == null) {
        // An output begins here, or before with a range delete.
        byte[] from = fragmentStart();
        if (from == null || Bytes.compare(from, 0, from.length, key, offset, length) >= 0) {
          splitter.begin(key, offset, length);
          return;
        }
        splitter.begin(from, 0, from.length);
      }
      byte[] cut = splitter.cutBefore(key, offset, length);
      if (cut == null) {
        return;
      }
      finishOutput(cut);
    }
  }

  /**
   * Where the next unwritten part of a surviving range delete begins; {@code null} if there is
   * none.
   */
  private byte @Nullable [] fragmentStart() {
    if (fragment == survivors.size()) {
      return null;
    }
    byte[] lower = survivors.lower(fragment);
    return Bytes.compare(lower, lastCut) < 0 ? lastCut : lower;
  }

  /** Ends the outputs after the last record. */
  private void finishOutputs() throws IOException {
    if (!survivors.isEmpty()) {
      byte[] end = survivors.upper(survivors.size() - 1);
      cutBefore(end, 0, end.length);
    }
    finishOutput(null);
  }

  /** Ends the present output at a cut, with the range deletes up to there; {@code null}: all. */
  private void finishOutput(byte @Nullable [] cut) throws IOException {
    byte[] from = fragmentStart();
    while (from != null && (cut == null || Bytes.compare(from, cut) < 0)) {
      byte[] upper = survivors.upper(fragment);
      byte[] end = upper;
      boolean whole = true;
      if (cut != null && Bytes.compare(upper, cut) > 0) {
        end = cut;
        whole = false;
      }
      if (sink == null) {
        sink = begin();
      }
      sink.addRangeTombstone(from, end, survivors.times(fragment));
      if (!whole) {
        break;
      }
      fragment++;
      from = fragmentStart();
    }
    if (sink != null) {
      outputs.add(sink.finish());
      sink = null;
    }
    if (cut != null) {
      lastCut = cut;
    }
  }

  private TableSink begin() throws IOException {
    TableSink begun = sinks.create();
    abandonable.add(begun);
    return begun;
  }
}
