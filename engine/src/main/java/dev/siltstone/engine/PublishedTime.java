package dev.siltstone.engine;

import java.util.function.LongSupplier;

/** The time up to which all writes can be read. Set by the leader of the writers alone. */
final class PublishedTime implements LongSupplier {
  private volatile long time;

  PublishedTime(long time) {
    this.time = time;
  }

  @Override
  public long getAsLong() {
    return time;
  }

  void set(long time) {
    this.time = time;
  }
}
