package dev.siltstone.engine.version;

import java.util.Set;

/**
 * What a sweep must leave alone.
 *
 * @param numbers numbers of table, blob, log and temporary files that something needs
 * @param manifest number of the manifest in force
 * @param options number of the newest options file; 0 to keep all
 */
public record LiveFiles(Set<Long> numbers, long manifest, long options) {
  /** Copies the set. */
  public LiveFiles {
    numbers = Set.copyOf(numbers);
  }
}
