package dev.siltstone.engine;

import java.util.Arrays;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Locks on keys, shared by all map views of an open tree: what reads and then writes a key holds
 * its lock meanwhile. A lock serves many keys.
 */
final class KeyLocks {
  private static final int STRIPES = 64;

  private final ReentrantLock[] stripes = new ReentrantLock[STRIPES];

  KeyLocks() {
    Arrays.setAll(stripes, _ -> new ReentrantLock());
  }

  /** Takes the lock of a key; the caller unlocks it. */
  ReentrantLock lock(byte[] key) {
    int hash = Arrays.hashCode(key) * 0x9E37_79B9;
    ReentrantLock stripe = stripes[hash >>> 26];
    stripe.lock();
    return stripe;
  }

  /** Takes all locks. */
  void lockAll() {
    for (ReentrantLock stripe : stripes) {
      stripe.lock();
    }
  }

  void unlockAll() {
    for (ReentrantLock stripe : stripes) {
      stripe.unlock();
    }
  }
}
