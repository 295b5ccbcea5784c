package dev.siltstone.bench.work;

/**
 * How much of a workload is done.
 *
 * @param entries entries that a filled store holds
 * @param reads operations of a workload that reads
 * @param valueBytes bytes of a value, at least {@link Values#HEADER_BYTES}
 * @param seed what all random choices follow from
 */
public record Plan(long entries, long reads, int valueBytes, long seed) {

  /** Checks the numbers. */
  public Plan {
    if (entries < 1 || reads < 1) {
      throw new IllegalArgumentException(
          "entries and reads must be positive, not " + entries + " and " + reads);
    }
    if (valueBytes < Values.HEADER_BYTES) {
      throw new IllegalArgumentException(
          "a value takes " + Values.HEADER_BYTES + " bytes at least, not " + valueBytes);
    }
  }

  /** The same of another size. */
  public Plan of(long otherEntries, long otherReads) {
    return new Plan(otherEntries, otherReads, valueBytes, seed);
  }
}
