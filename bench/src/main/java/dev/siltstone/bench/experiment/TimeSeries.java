package dev.siltstone.bench.experiment;

import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.measure.Latencies;
import dev.siltstone.bench.measure.Measured;
import dev.siltstone.bench.report.Stages;
import dev.siltstone.bench.store.Batch;
import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.Scramble;
import dev.siltstone.bench.work.Values;
import dev.siltstone.bench.work.WrongAnswerException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;
import org.jspecify.annotations.Nullable;

/**
 * The time-series experiment: writers commit batches of consecutive rows, each of one metric; a
 * reader asks for the last rows of a random metric, newest first. Reads are checked: rows must be
 * those of the metric, without a gap, and none older than what was committed before the read.
 */
public final class TimeSeries {
  /** How many metrics there are. */
  public static final int METRICS = 5000;

  /** Rows of a batch. */
  public static final int BATCH_ROWS = 500;

  /** Threads that write. */
  public static final int WRITERS = 8;

  /** Rows that a read asks for. */
  public static final int READ_ROWS = 100;

  /** Samples taken in a bucket, for the curves. */
  private static final int SAMPLES_PER_BUCKET = 5;

  private static final int LATENCY_DIGITS = 3;

  private final Store store;
  private final Clock clock;
  private final Stages stages;
  private final SeriesKeys keys = new SeriesKeys();
  private final Values values = new Values(SeriesKeys.VALUE_BYTES);

  /** Rows committed, by metric; each metric has one writer. */
  private final AtomicLongArray committed = new AtomicLongArray(METRICS);

  private final LongAdder rows = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final Recorder writeNanos = new Recorder(LATENCY_DIGITS);
  private final Recorder readNanos = new Recorder(LATENCY_DIGITS);
  private final AtomicReference<@Nullable RuntimeException> failure = new AtomicReference<>();
  private volatile boolean stopped;

  /** The experiment on a store that is empty. */
  public TimeSeries(Store store, Clock clock, Stages stages) {
    this.store = store;
    this.clock = clock;
    this.stages = stages;
  }

  /**
   * Runs on an empty store.
   *
   * @param seconds how long, a multiple of the bucket
   * @param bucketSeconds length of the stretches whose rates are compared
   * @throws WrongAnswerException if a read was wrong
   */
  public Result run(int seconds, int bucketSeconds) throws InterruptedException {
    stages.step("time series", seconds);
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < WRITERS; i++) {
      int writer = i;
      threads.add(Thread.ofPlatform().name("series-writer-" + i).start(() -> write(writer)));
    }
    threads.add(Thread.ofPlatform().name("series-reader").start(this::read));
    List<Sample> samples = new ArrayList<>();
    Histogram allReads = new Histogram(LATENCY_DIGITS);
    Histogram allWrites = new Histogram(LATENCY_DIGITS);
    long begin = clock.nanoTime();
    try {
      sample(seconds, bucketSeconds, begin, samples, allReads, allWrites);
    } finally {
      stopped = true;
      for (Thread thread : threads) {
        thread.join();
      }
    }
    // What was under way at the end counts too: the longest commit may be the one that lasted past
    // it.
    allReads.add(readNanos.getIntervalHistogram());
    allWrites.add(writeNanos.getIntervalHistogram());
    double took = (clock.nanoTime() - begin) / 1e9;
    RuntimeException failed = failure.get();
    if (failed != null) {
      throw failed;
    }
    stages.step("time series: check the newest rows of every metric", 1);
    for (int metric = 0; metric < METRICS; metric++) {
      readLast(metric);
      stages.at((double) metric / METRICS);
    }
    return new Result(
        rows.sum(),
        took,
        bucketSeconds,
        samples,
        new Reads(reads.sum(), allReads.getValueAtPercentile(99) / 1e3),
        Latencies.of(allWrites));
  }

  private void sample(
      int seconds,
      int bucketSeconds,
      long begin,
      List<Sample> samples,
      Histogram allReads,
      Histogram allWrites)
      throws InterruptedException {
    long sampleNanos = Duration.ofSeconds(bucketSeconds).toNanos() / SAMPLES_PER_BUCKET;
    long end = begin + Duration.ofSeconds(seconds).toNanos();
    long rowsBefore = 0;
    long before = begin;
    while (before < end && failure.get() == null) {
      // Late by more than a part of a sample, this thread leaves one out rather than take two at
      // once.
      long late = before - begin + sampleNanos / SAMPLES_PER_BUCKET;
      long due = Math.min(end, begin + (late / sampleNanos + 1) * sampleNanos);
      long now = clock.nanoTime();
      while (now < due && failure.get() == null) {
        Thread.sleep(Duration.ofNanos(Math.min(due - now, 100_000_000L)));
        stages.at((double) (now - begin) / (end - begin));
        now = clock.nanoTime();
      }
      long rowsNow = rows.sum();
      Histogram readInterval = readNanos.getIntervalHistogram();
      Histogram writeInterval = writeNanos.getIntervalHistogram();
      allReads.add(readInterval);
      allWrites.add(writeInterval);
      samples.add(
          new Sample(
              (now - begin) / 1e9,
              rowsNow,
              (rowsNow - rowsBefore) * 1e9 / (now - before),
              readInterval.getValueAtPercentile(99) / 1e3,
              writeInterval.getMaxValue() / 1e3));
      rowsBefore = rowsNow;
      before = now;
    }
  }

  private void write(int writer) {
    Batch batch = new Batch();
    int metricsOfWriter = METRICS / WRITERS;
    try {
      for (long turn = 0; !stopped; turn++) {
        long draw = Scramble.mix(turn * WRITERS + writer);
        int metric = (int) (draw % metricsOfWriter) * WRITERS + writer;
        long first = committed.get(metric);
        batch.clear();
        for (int i = 0; i < BATCH_ROWS; i++) {
          batch.put(keys.key(metric, first + i), values.value(SeriesKeys.id(metric, first + i), 0));
        }
        long before = clock.nanoTime();
        store.write(batch, false);
        writeNanos.recordValue(clock.nanoTime() - before);
        committed.set(metric, first + BATCH_ROWS);
        rows.add(BATCH_ROWS);
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void read() {
    try {
      for (long turn = 0; !stopped; turn++) {
        int metric = (int) (Scramble.mix(~turn) % METRICS);
        if (committed.get(metric) == 0) {
          Thread.onSpinWait();
          continue;
        }
        long before = clock.nanoTime();
        readLast(metric);
        readNanos.recordValue(clock.nanoTime() - before);
        reads.increment();
      }
    } catch (RuntimeException e) {
      failure.compareAndSet(null, e);
    }
  }

  private void readLast(int metric) {
    long due = committed.get(metric);
    if (due == 0) {
      return;
    }
    Newest newest = new Newest(metric);
    store.scan(keys.last(metric), true, newest);
    long last = newest.next + newest.seen;
    if (newest.seen != Math.min(READ_ROWS, last + 1) || last + 1 < due) {
      throw new WrongAnswerException(
          "metric %d: %d rows up to number %d came, though %d rows were committed before"
              .formatted(metric, newest.seen, last, due));
    }
  }

  /** Expects the rows of a metric, newest first, without a gap. */
  private final class Newest implements Store.Visitor {
    private final int metric;
    private long next = -1;
    private int seen;

    Newest(int metric) {
      this.metric = metric;
    }

    @Override
    public boolean visit(byte[] key, byte[] value) {
      if (!keys.belongs(key, metric)) {
        return false;
      }
      long time = keys.time(key);
      if (seen > 0 && time != next) {
        throw new WrongAnswerException(
            "metric " + metric + ": row " + time + " came where row " + next + " was due");
      }
      values.require(value, SeriesKeys.id(metric, time));
      next = time - 1;
      seen++;
      return seen < READ_ROWS;
    }
  }

  /**
   * One point of the curves.
   *
   * @param atSeconds end of the sample, from the start
   * @param rows committed from the start to its end
   * @param rowsPerSecond rows committed in it
   * @param readP99Micros 99th percentile of its reads
   * @param writeMaxMicros its longest commit
   */
  public record Sample(
      double atSeconds,
      long rows,
      double rowsPerSecond,
      double readP99Micros,
      double writeMaxMicros) {}

  /**
   * What the reader did.
   *
   * @param count reads of up to {@link #READ_ROWS} rows each
   * @param p99Micros 99th percentile of their times
   */
  public record Reads(long count, double p99Micros) {}

  /**
   * What the run gave.
   *
   * @param rows committed in all
   * @param seconds it took
   * @param bucketSeconds length of a bucket
   * @param samples the curves
   * @param reads of the reader
   * @param commits times of all commits
   */
  public record Result(
      long rows,
      double seconds,
      int bucketSeconds,
      List<Sample> samples,
      Reads reads,
      Measured.Latency commits) {

    /** Rows a second of the whole run. */
    public double rowsPerSecond() {
      return rows / seconds;
    }

    /** Rows a second of each bucket that the samples cover. */
    public List<Double> buckets() {
      List<Double> buckets = new ArrayList<>();
      double end = samples.isEmpty() ? 0 : samples.getLast().atSeconds();
      for (int from = 0; from + bucketSeconds <= end; from += bucketSeconds) {
        buckets.add((rowsAt(from + bucketSeconds) - rowsAt(from)) / bucketSeconds);
      }
      return buckets;
    }

    /** Rows committed until a time, on the straight line between the samples around it. */
    private double rowsAt(double seconds) {
      double lastAt = 0;
      double lastRows = 0;
      for (Sample sample : samples) {
        if (sample.atSeconds() >= seconds) {
          double part = (seconds - lastAt) / (sample.atSeconds() - lastAt);
          return lastRows + part * (sample.rows() - lastRows);
        }
        lastAt = sample.atSeconds();
        lastRows = sample.rows();
      }
      return lastRows;
    }

    /** Rows a second of the slowest bucket. */
    public double bucketMin() {
      return buckets().stream().mapToDouble(each -> each).min().orElse(Double.NaN);
    }

    /** Rows a second of the bucket in the middle. */
    public double bucketMedian() {
      double[] sorted = buckets().stream().mapToDouble(each -> each).sorted().toArray();
      if (sorted.length == 0) {
        return Double.NaN;
      }
      return (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2;
    }
  }
}
