package dev.siltstone.engine.compaction;

/** Something older may be everywhere. */
final class OlderEverywhere implements OlderData {
  @Override
  public boolean mayHoldKey(byte[] key, int offset, int length, long time) {
    return true;
  }

  @Override
  public boolean mayHoldSubtree(byte[] key, int offset, int length, long time) {
    return true;
  }

  @Override
  public boolean mayHoldRange(byte[] lower, byte[] upper, long time) {
    return true;
  }
}
