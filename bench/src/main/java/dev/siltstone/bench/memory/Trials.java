package dev.siltstone.bench.memory;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** The trials by name, each with the heap that it must do with. */
enum Trials {
  SMALLHEAP(
      "entries of 116 bytes are written, read, scanned and compacted with the default options",
      256,
      5_000_000,
      0),
  MANY("200 trees are written in turn and 1,000 cursors are open at once", 128, 1_000_000, 0),
  LARGEVALUE("values of so many MiB are put and got", 400, 300, 0),
  LARGEBATCH("a batch of so many MiB is written, replayed and flushed", 700, 256, 0),
  LARGEFILE("values of 200 kB make a table file of more than 2 GiB", 64, 12_000, 0),
  MIXED("resident memory while puts, gets, scans and deletes go on", 256, 2_000_000, 60);

  private final String about;
  private final int heapMib;
  private final long entries;
  private final long seconds;

  Trials(String about, int heapMib, long entries, long seconds) {
    this.about = about;
    this.heapMib = heapMib;
    this.entries = entries;
    this.seconds = seconds;
  }

  /**
   * A trial by its name.
   *
   * @throws IllegalArgumentException if there is none; the message names all
   */
  static Trials of(String label) {
    for (Trials trial : values()) {
      if (trial.label().equals(label)) {
        return trial;
      }
    }
    throw new IllegalArgumentException(
        "no trial is called \"%s\"; there are %s"
            .formatted(
                label,
                Arrays.stream(values()).map(Trials::label).collect(Collectors.joining(", "))));
  }

  /** Those that end by themselves. */
  static List<Trials> usual() {
    return Arrays.stream(values()).filter(trial -> trial.seconds == 0).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  String about() {
    return about;
  }

  Trial make() {
    return switch (this) {
      case SMALLHEAP -> new SmallHeap();
      case MANY -> new Many();
      case LARGEVALUE -> new LargeValue();
      case LARGEBATCH -> new LargeBatch();
      case LARGEFILE -> new LargeFile();
      case MIXED -> new Mixed();
    };
  }

  Trial.Size size() {
    return new Trial.Size(entries, seconds);
  }

  int heapMib() {
    return heapMib;
  }

  /** Arguments of the JVM, with a heap of so many MiB. */
  List<String> jvm(int heapMib) {
    String heap = "-Xmx" + heapMib + "m";
    // The collector that the JVM would choose by itself on a machine that has no more to give,
    // since
    // G1 takes some 20 MiB beside the heap; little for young objects, as most of this heap is
    // memtables and cache; and what the compilers have freed goes back to the system.
    return this == MIXED
        ? List.of(heap, "-XX:+UseSerialGC", "-Xmn40m", "-XX:TrimNativeHeapInterval=5000")
        : List.of(heap);
  }
}
