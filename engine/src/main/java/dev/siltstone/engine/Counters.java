package dev.siltstone.engine;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/** The running counters behind {@link DbStats}. Safe for concurrent use. */
final class Counters {
  final LongAdder gets = new LongAdder();
  final LongAdder getHits = new LongAdder();
  final LongAdder cursorsOpened = new LongAdder();
  final LongAdder cursorsClosed = new LongAdder();
  final LongAdder steppedOver = new LongAdder();
  final LongAdder batches = new LongAdder();
  final LongAdder records = new LongAdder();
  final LongAdder logBytes = new LongAdder();
  final LongAdder logSyncs = new LongAdder();
  final LongAdder flushes = new LongAdder();
  final LongAdder flushBytes = new LongAdder();
  final LongAdder compactions = new LongAdder();
  final LongAdder compactionBytesIn = new LongAdder();
  final LongAdder compactionBytesOut = new LongAdder();
  final LongAdder filesMoved = new LongAdder();
  final LongAdder filesDropped = new LongAdder();
  final LongAdder entriesDropped = new LongAdder();
  private final ConcurrentHashMap<String, LongAdder> stallNanos = new ConcurrentHashMap<>();

  void stalled(String cause, long nanos) {
    stallNanos.computeIfAbsent(cause, _ -> new LongAdder()).add(nanos);
  }

  Map<String, Long> stalls() {
    Map<String, Long> stalls = new TreeMap<>();
    stallNanos.forEach((cause, nanos) -> stalls.put(cause, nanos.sum()));
    return stalls;
  }
}
