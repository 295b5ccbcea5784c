package dev.siltstone.engine.check;

import java.io.IOException;

/** Whoever watches a check does not want it to go on. */
final class StoppedException extends IOException {
  private static final long serialVersionUID = 1L;
}
