package dev.siltstone.testkit.run;

import java.util.SplittableRandom;

/**
 * The one number all randomness of a test run comes from. Streams are independent by name, so that
 * drawing more from one does not change what another gives.
 *
 * @param value any number
 */
public record Seed(long value) {

  /** A stream of random numbers; the same for the same seed and name. */
  public SplittableRandom random(String name) {
    return new SplittableRandom(mix(name));
  }

  /** Another seed, for a part of the run. */
  public Seed derive(String name) {
    return new Seed(mix(name));
  }

  /** Another seed, for a numbered part of the run. */
  public Seed derive(long number) {
    return new Seed(mix(mix(value) + mix(~number)));
  }

  private long mix(String name) {
    long hash = mix(value);
    for (int i = 0; i < name.length(); i++) {
      hash = mix(hash ^ name.charAt(i));
    }
    return hash;
  }

  /** Steele, Lea, Flood, "Fast Splittable Pseudorandom Number Generators" (2014), mix64. */
  private static long mix(long number) {
    long z = number + 0x9E3779B97F4A7C15L;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
