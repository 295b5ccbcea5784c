package dev.siltstone.bench.memory;

import com.google.errorprone.annotations.FormatMethod;
import dev.siltstone.base.time.Clock;
import dev.siltstone.bench.measure.Footprint;
import dev.siltstone.bench.report.Units;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbStats;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Locale;

/** Prints what a trial has taken, phase by phase. One thread. */
final class Report {
  private final PrintWriter out;
  private final Clock clock;
  private long begun;

  Report(PrintWriter out, Clock clock) {
    this.out = out;
    this.clock = clock;
    this.begun = clock.nanoTime();
    out.println(
        "%-16s %10s %9s %11s %11s %11s %11s"
            .formatted("phase", "ops", "rate", "heap live", "memtables", "cache", "resident"));
  }

  /** Ends a phase that has begun where the last one ended. */
  void phase(String name, long ops, Db db) {
    double seconds = (clock.nanoTime() - begun) / 1e9;
    DbStats stats = db.stats();
    line(
        "%-16s %10s %9s %11s %11s %11s %11s",
        name,
        Units.count((double) ops),
        Units.rate((double) ops / seconds),
        Units.bytes(liveBytes()),
        Units.bytes(stats.memtableBytes()),
        Units.bytes(stats.cacheBytes()),
        Units.bytes(Footprint.residentBytes()));
    begun = clock.nanoTime();
  }

  @FormatMethod
  void line(String format, Object... arguments) {
    out.println(String.format(Locale.ROOT, format, arguments));
    out.flush();
  }

  long nanoTime() {
    return clock.nanoTime();
  }

  /** Bytes of the heap that are reachable, found by a collection. */
  static long liveBytes() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
