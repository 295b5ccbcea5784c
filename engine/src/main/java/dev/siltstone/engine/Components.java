package dev.siltstone.engine;

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.run.Scheduler;
import dev.siltstone.base.run.SystemRandom;
import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.spi.Compressor;
import dev.siltstone.engine.spi.EventListener;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The seams of a store: what it runs on. Immutable; each method returns a changed copy.
 *
 * @param fileSystem where files are; {@code null} for the operating system's
 * @param clock the time
 * @param scheduler who runs background work; {@code null} for threads of the store's own. A given
 *     scheduler is not closed with the store
 * @param random gives the random numbers that identify stores and files
 * @param compressors compressors besides LZ4, found by the name in {@link TreeOptions#compression}
 *     and by the id in blocks
 * @param compactionFilters factories of compaction filters by the name that {@link
 *     TreeOptions#compactionFilter} gives
 * @param listener is told what the store does
 */
public record Components(
    @Nullable FileSystem fileSystem,
    Clock clock,
    @Nullable Scheduler scheduler,
    LongSupplier random,
    List<Compressor> compressors,
    Map<String, CompactionFilter.Factory> compactionFilters,
    EventListener listener) {
  /** The operating system, its clock, own threads, nothing else. */
  public static final Components DEFAULT =
      new Components(
          null,
          new SystemClock(),
          null,
          new SystemRandom(),
          List.of(),
          Map.of(),
          EventListener.NONE);

  /** Copies the list and the map. */
  public Components {
    Objects.requireNonNull(clock, "clock");
    Objects.requireNonNull(random, "random");
    Objects.requireNonNull(compressors, "compressors");
    Objects.requireNonNull(compactionFilters, "compactionFilters");
    Objects.requireNonNull(listener, "listener");
    compressors = List.copyOf(compressors);
    compactionFilters = Map.copyOf(compactionFilters);
    if (compactionFilters.containsKey("")) {
      throw new IllegalArgumentException("a compaction filter has no name");
    }
  }

  /** Sets the file system; {@code null} for the operating system's. */
  public Components withFileSystem(@Nullable FileSystem fileSystem) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the clock. */
  public Components withClock(Clock clock) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the scheduler; {@code null} for threads of the store's own. */
  public Components withScheduler(@Nullable Scheduler scheduler) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the source of random numbers. */
  public Components withRandom(LongSupplier random) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the additional compressors. */
  public Components withCompressors(List<Compressor> compressors) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the factories of compaction filters. */
  public Components withCompactionFilters(Map<String, CompactionFilter.Factory> compactionFilters) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }

  /** Sets the listener. */
  public Components withListener(EventListener listener) {
    return new Components(
        fileSystem, clock, scheduler, random, compressors, compactionFilters, listener);
  }
}
