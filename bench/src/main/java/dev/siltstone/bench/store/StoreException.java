package dev.siltstone.bench.store;

/** An engine refused or failed; the cause is what the engine itself threw. */
public final class StoreException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** A failure of an engine, with what was tried. */
  public StoreException(String message, Throwable cause) {
    super(message + ": " + cause.getMessage(), cause);
  }
}
