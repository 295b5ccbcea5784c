package dev.siltstone.engine;

import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/**
 * The events a store writes to the JDK Flight Recorder. They cost nothing while no recording runs.
 */
final class Events {
  private Events() {}

  /** A memtable became a table file. */
  @Name("siltstone.Flush")
  @Label("Flush")
  @Category("Siltstone")
  @StackTrace(false)
  static final class Flush extends Event {
    @Label("Tree")
    String tree = "";

    @Label("Entries")
    long entries;

    @Label("Bytes")
    @DataAmount
    long bytes;
  }

  /** A compaction. */
  @Name("siltstone.Compaction")
  @Label("Compaction")
  @Category("Siltstone")
  @StackTrace(false)
  static final class Compaction extends Event {
    @Label("Tree")
    String tree = "";

    @Label("Reason")
    String reason = "";

    @Label("From level")
    int fromLevel;

    @Label("To level")
    int toLevel;

    @Label("Bytes read")
    @DataAmount
    long bytesIn;

    @Label("Bytes written")
    @DataAmount
    long bytesOut;

    @Label("Entries dropped")
    long dropped;

    @Label("Entries copied")
    @Description("Entries that went into the new files in whole blocks")
    long copied;
  }

  /** A writer was held back. */
  @Name("siltstone.Stall")
  @Label("Write stall")
  @Category("Siltstone")
  @StackTrace(false)
  static final class Stall extends Event {
    @Label("Cause")
    String cause = "";

    @Label("Delay")
    @Timespan(Timespan.NANOSECONDS)
    long nanos;
  }

  /** A sync of the log. */
  @Name("siltstone.WalSync")
  @Label("WAL sync")
  @Category("Siltstone")
  @StackTrace(false)
  static final class WalSync extends Event {
    @Label("Batches")
    @Description("Batches that this sync made durable")
    int batches;
  }

  /** A read that passed many dead records. */
  @Name("siltstone.SlowRead")
  @Label("Slow read")
  @Category("Siltstone")
  static final class SlowRead extends Event {
    @Label("Tree")
    String tree = "";

    @Label("Operation")
    String operation = "";

    @Label("Entries stepped over")
    long steppedOver;
  }
}
