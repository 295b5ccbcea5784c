package dev.siltstone.engine;

import dev.siltstone.engine.version.VersionEdit;
import dev.siltstone.engine.version.VersionSet;
import java.io.IOException;

/**
 * The way of every edit to the manifest. When the manifest can take no more, the store refuses
 * writes from then on: what is written could never leave the log.
 */
final class Edits {
  private final VersionSet versions;
  private final Failure failure;

  Edits(VersionSet versions, Failure failure) {
    this.versions = versions;
    this.failure = failure;
  }

  /**
   * Makes an edit durable and publishes it.
   *
   * @throws IllegalArgumentException if it does not fit, for one because its tree was dropped
   */
  @SuppressWarnings("CatchingUnchecked") // Passed on, once the store refuses writes.
  void apply(VersionEdit edit) throws IOException {
    try {
      versions.apply(edit);
    } catch (IOException e) {
      if (versions.isBroken()) {
        failure.fail(Failure.ofIo(e, "writing the manifest"));
      }
      throw e;
    } catch (RuntimeException | Error e) {
      if (versions.isBroken()) {
        failure.fail(new DbException.Unavailable("failed while writing the manifest: " + e, e));
      }
      throw e;
    }
  }
}
