package dev.siltstone.engine;

/**
 * How one write is acknowledged.
 *
 * @param sync whether to wait until the write, and every write before it, survives a power loss,
 *     even if the store's default is weaker
 */
public record WriteOptions(boolean sync) {
  /** The store's own {@link Options#durability}. */
  public static final WriteOptions DEFAULT = new WriteOptions(false);

  /** Synced, whatever the store's default. */
  public static final WriteOptions SYNC = new WriteOptions(true);
}
