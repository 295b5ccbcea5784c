package dev.siltstone.base.run;

import java.security.SecureRandom;
import java.util.function.LongSupplier;

/**
 * Real chance, for ids that must never meet another; the only class of the product that draws
 * random numbers. Safe for concurrent use.
 */
public final class SystemRandom implements LongSupplier {
  private final SecureRandom random = new SecureRandom();

  @Override
  public long getAsLong() {
    return random.nextLong();
  }
}
