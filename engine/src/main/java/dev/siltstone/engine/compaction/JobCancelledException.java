package dev.siltstone.engine.compaction;

import java.io.IOException;

/** A job was told not to go on. Its outputs are gone, its inputs untouched. */
public final class JobCancelledException extends IOException {
  private static final long serialVersionUID = 1L;

  /** A job that ends without result. */
  public JobCancelledException() {
    super("cancelled");
  }
}
