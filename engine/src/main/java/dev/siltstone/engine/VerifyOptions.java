package dev.siltstone.engine;

import java.nio.file.Path;
import java.util.Objects;

/**
 * How {@link Db#verify} goes about it. Immutable.
 *
 * @param progress is told how far it is, and can end it
 */
public record VerifyOptions(Progress progress) {
  /** Checks everything and tells nobody how far it is. */
  public static final VerifyOptions DEFAULT = new VerifyOptions((_, _, _) -> true);

  /** Checks that there is somebody to tell. */
  public VerifyOptions {
    Objects.requireNonNull(progress, "progress");
  }

  /** Is told how far a verification is. Called on its thread, at least once a block. */
  @FunctionalInterface
  public interface Progress {
    /**
     * So much was read. What this throws ends the verification and reaches its caller.
     *
     * @param file what was read just now
     * @param bytes how much was read in all
     * @param bytesTotal about how much there is to read, at least {@code bytes}
     * @return whether to go on; {@code false} ends the verification, which then tells what it has
     *     found so far
     */
    boolean proceed(Path file, long bytes, long bytesTotal);
  }

  /** Sets who is told how far it is. */
  public VerifyOptions withProgress(Progress progress) {
    return new VerifyOptions(progress);
  }
}
