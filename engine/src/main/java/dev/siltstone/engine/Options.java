package dev.siltstone.engine;

import dev.siltstone.engine.compaction.CompactionSettings;
import dev.siltstone.engine.gap.GapMemo;
import java.time.Duration;
import java.util.Objects;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tunables of a store. Immutable; built with {@link #builder}. None of them shapes bytes on
 * disk, so each may differ from open to open.
 */
public final class Options {
  /** The defaults. */
  public static final Options DEFAULT = builder().build();

  private final boolean createIfMissing;
  private final boolean errorIfExists;
  private final Durability durability;
  private final Duration syncInterval;
  private final long memoryBytes;
  private final long memtableBytes;
  private final long logSegmentBytes;
  private final long tableBytes;
  private final long levelBaseBytes;
  private final int levelFanout;
  private final int separateValueBytes;
  private final int maxOpenFiles;
  private final int compactionThreads;
  private final boolean automaticCompaction;
  private final boolean gapMemo;
  private final int gapDeadMin;
  private final IntFunction<GapMemo> gapMemos;
  private final @Nullable TreeOptions defaultTree;

  private Options(Builder b) {
    createIfMissing = b.createIfMissing;
    errorIfExists = b.errorIfExists;
    durability = b.durability;
    syncInterval = b.syncInterval;
    memoryBytes = b.memoryBytes;
    memtableBytes = b.memtableBytes > 0 ? b.memtableBytes : defaultMemtableBytes(b.memoryBytes);
    logSegmentBytes = b.logSegmentBytes;
    tableBytes = b.tableBytes;
    levelBaseBytes = b.levelBaseBytes;
    levelFanout = b.levelFanout;
    separateValueBytes = b.separateValueBytes;
    maxOpenFiles = b.maxOpenFiles;
    compactionThreads = b.compactionThreads;
    automaticCompaction = b.automaticCompaction;
    gapMemo = b.gapMemo;
    gapDeadMin = b.gapDeadMin;
    gapMemos = b.gapMemos;
    defaultTree = b.defaultTree;
    if (createIfMissing == false && errorIfExists) {
      throw new IllegalArgumentException(
          "createIfMissing false and errorIfExists true: no directory could be opened");
    }
    if (memtableBytes > memoryBytes / 2) {
      throw new IllegalArgumentException(
          "memtableBytes " + memtableBytes + " is more than half of memoryBytes " + memoryBytes);
    }
  }

  /** A builder that holds the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /**
   * Whether a missing or empty directory becomes a new store. What a creation that failed has left
   * counts as nothing, and so does {@code lost+found}; any other file is in the way. Default true.
   */
  public boolean createIfMissing() {
    return createIfMissing;
  }

  /** Whether an existing store is refused. Default false. */
  public boolean errorIfExists() {
    return errorIfExists;
  }

  /** When writes are acknowledged. Default {@link Durability#BUFFERED}. */
  public Durability durability() {
    return durability;
  }

  /**
   * Longest time between syncs under {@link Durability#PERIODIC}, 1 ms to 1 hour. Default 100 ms.
   */
  public Duration syncInterval() {
    return syncInterval;
  }

  /**
   * The one memory budget: memtables (at most 40 %), block cache and filters together, in bytes, 4
   * MiB to 2^40. Default a quarter of the largest heap, at most 1 GiB.
   */
  public long memoryBytes() {
    return memoryBytes;
  }

  /**
   * Bytes at which a memtable is sealed and flushed, 16 KiB to half of {@link #memoryBytes}.
   * Default an eighth of it, at most 64 MiB.
   */
  public long memtableBytes() {
    return memtableBytes;
  }

  /**
   * Length of a segment of the mapped log, 64 KiB to 1 GiB. Default 16 MiB. The first ones are
   * shorter, from 1 MiB on each twice as long as the last, also after a pause of some seconds.
   */
  public long logSegmentBytes() {
    return logSegmentBytes;
  }

  /** Bytes at which a compaction starts a new table file, 16 KiB to 2^40. Default 64 MiB. */
  public long tableBytes() {
    return tableBytes;
  }

  /**
   * Bytes of the first level below 0 that holds data, at least; 64 KiB to 2^50. Default 256 MiB.
   */
  public long levelBaseBytes() {
    return levelBaseBytes;
  }

  /** How many times larger a level is than the one above it, 2 to 100. Default 10. */
  public int levelFanout() {
    return levelFanout;
  }

  /**
   * Values of at least so many bytes are stored in files of their own, 1 KiB to 1 GiB. Default 256
   * KiB.
   */
  public int separateValueBytes() {
    return separateValueBytes;
  }

  /** File handles held open at once, 16 to 1,048,576. Default 512. */
  public int maxOpenFiles() {
    return maxOpenFiles;
  }

  /**
   * Threads that compact at once, 1 to 64. Default half the processors. Each takes a compaction of
   * its own, or else a share of a large one; one for which {@link Tree#compact} waits may get a
   * thread more.
   */
  public int compactionThreads() {
    return compactionThreads;
  }

  /** Whether compactions run by themselves. Default true; false is for bulk loads and tests. */
  public boolean automaticCompaction() {
    return automaticCompaction;
  }

  /**
   * Whether cursors remember stretches without anything live, so that no reader walks the same
   * deletes twice. Never changes results. Default true.
   */
  public boolean gapMemo() {
    return gapMemo;
  }

  /** A new memo for a tree. */
  GapMemo newGapMemo() {
    return gapMemos.apply(gapDeadMin);
  }

  /**
   * Options of the default tree, which are kept with the store; {@code null} for those that are
   * kept, {@link TreeOptions#DEFAULT} in a new store. Default {@code null}.
   */
  public @Nullable TreeOptions defaultTree() {
    return defaultTree;
  }

  /** All of them by name. */
  @Override
  public String toString() {
    return "Options[createIfMissing="
        + createIfMissing
        + ", errorIfExists="
        + errorIfExists
        + ", durability="
        + durability
        + ", syncInterval="
        + syncInterval
        + ", memoryBytes="
        + memoryBytes
        + ", memtableBytes="
        + memtableBytes
        + ", logSegmentBytes="
        + logSegmentBytes
        + ", tableBytes="
        + tableBytes
        + ", levelBaseBytes="
        + levelBaseBytes
        + ", levelFanout="
        + levelFanout
        + ", separateValueBytes="
        + separateValueBytes
        + ", maxOpenFiles="
        + maxOpenFiles
        + ", compactionThreads="
        + compactionThreads
        + ", automaticCompaction="
        + automaticCompaction
        + ", gapMemo="
        + gapMemo
        + ", defaultTree="
        + defaultTree
        + "]";
  }

  private static long defaultMemtableBytes(long memoryBytes) {
    return Math.min(64L << 20, memoryBytes / 8);
  }

  /** Collects options; every setter checks its value and says the allowed range. */
  public static final class Builder {
    private boolean createIfMissing = true;
    private boolean errorIfExists;
    private Durability durability = Durability.BUFFERED;
    private Duration syncInterval = Duration.ofMillis(100);
    private long memoryBytes = defaultMemoryBytes();
    private long memtableBytes;
    private long logSegmentBytes = 16L << 20;
    private long tableBytes = CompactionSettings.DEFAULT.fileBytes();
    private long levelBaseBytes = CompactionSettings.DEFAULT.baseBytes();
    private int levelFanout = CompactionSettings.DEFAULT.fanOut();
    private int separateValueBytes = 256 << 10;
    private int maxOpenFiles = 512;
    private int compactionThreads = Math.max(1, Runtime.getRuntime().availableProcessors() / 2);
    private boolean automaticCompaction = true;
    private boolean gapMemo = true;
    private int gapDeadMin = GapMemo.DEAD_MIN;
    private IntFunction<GapMemo> gapMemos = GapMemo::create;
    private @Nullable TreeOptions defaultTree;

    private Builder() {}

    private static long defaultMemoryBytes() {
      return Math.max(4L << 20, Math.min(1L << 30, Runtime.getRuntime().maxMemory() / 4));
    }

    /** Sets {@link Options#createIfMissing}. */
    public Builder createIfMissing(boolean value) {
      createIfMissing = value;
      return this;
    }

    /** Sets {@link Options#errorIfExists}. */
    public Builder errorIfExists(boolean value) {
      errorIfExists = value;
      return this;
    }

    /** Sets {@link Options#durability}. */
    public Builder durability(Durability value) {
      durability = Objects.requireNonNull(value, "durability");
      return this;
    }

    /** Sets {@link Options#syncInterval}, 1 ms to 1 hour. */
    public Builder syncInterval(Duration value) {
      Limits.check("syncInterval", value, Duration.ofMillis(1), Duration.ofHours(1));
      syncInterval = value;
      return this;
    }

    /** Sets {@link Options#memoryBytes}. */
    public Builder memoryBytes(long value) {
      Limits.check("memoryBytes", value, 4L << 20, 1L << 40);
      memoryBytes = value;
      return this;
    }

    /** Sets {@link Options#memtableBytes}. */
    public Builder memtableBytes(long value) {
      Limits.check("memtableBytes", value, 16L << 10, 1L << 31);
      memtableBytes = value;
      return this;
    }

    /** Sets {@link Options#logSegmentBytes}. */
    public Builder logSegmentBytes(long value) {
      Limits.check("logSegmentBytes", value, 64L << 10, 1L << 30);
      logSegmentBytes = value;
      return this;
    }

    /** Sets {@link Options#tableBytes}. */
    public Builder tableBytes(long value) {
      Limits.check("tableBytes", value, 16L << 10, 1L << 40);
      tableBytes = value;
      return this;
    }

    /** Sets {@link Options#levelBaseBytes}. */
    public Builder levelBaseBytes(long value) {
      Limits.check("levelBaseBytes", value, 64L << 10, 1L << 50);
      levelBaseBytes = value;
      return this;
    }

    /** Sets {@link Options#levelFanout}. */
    public Builder levelFanout(int value) {
      Limits.check("levelFanout", value, 2, 100);
      levelFanout = value;
      return this;
    }

    /** Sets {@link Options#separateValueBytes}, 1 KiB to 1 GiB. */
    public Builder separateValueBytes(int value) {
      Limits.check("separateValueBytes", value, 1 << 10, 1 << 30);
      separateValueBytes = value;
      return this;
    }

    /** Sets {@link Options#maxOpenFiles}. */
    public Builder maxOpenFiles(int value) {
      Limits.check("maxOpenFiles", value, 16, 1 << 20);
      maxOpenFiles = value;
      return this;
    }

    /** Sets {@link Options#compactionThreads}. */
    public Builder compactionThreads(int value) {
      Limits.check("compactionThreads", value, 1, 64);
      compactionThreads = value;
      return this;
    }

    /** Sets {@link Options#automaticCompaction}. */
    public Builder automaticCompaction(boolean value) {
      automaticCompaction = value;
      return this;
    }

    /** Sets {@link Options#gapMemo}. */
    public Builder gapMemo(boolean value) {
      gapMemo = value;
      return this;
    }

    /** For tests, which want gaps to be learned early. */
    Builder gapDeadMin(int value) {
      gapDeadMin = value;
      return this;
    }

    /** For tests, which look at what a memo is told, and make mistakes in its place. */
    Builder gapMemos(IntFunction<GapMemo> value) {
      gapMemos = value;
      return this;
    }

    /** Sets {@link Options#defaultTree}. */
    public Builder defaultTree(@Nullable TreeOptions value) {
      defaultTree = value;
      return this;
    }

    /**
     * The options.
     *
     * @throws IllegalArgumentException if two of them contradict each other
     */
    public Options build() {
      return new Options(this);
    }
  }
}
