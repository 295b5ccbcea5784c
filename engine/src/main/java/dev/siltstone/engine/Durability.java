package dev.siltstone.engine;

/**
 * When a write is acknowledged, and what may then be lost.
 *
 * <table>
 * <caption>Loss after an acknowledged write</caption>
 * <tr><th></th><th>process killed</th><th>power lost</th></tr>
 * <tr><td>{@link #BUFFERED}</td><td>nothing</td><td>writes since the last sync</td></tr>
 * <tr><td>{@link #PERIODIC}</td><td>nothing</td><td>writes of the last interval</td></tr>
 * <tr><td>{@link #SYNC}</td><td>nothing</td><td>nothing</td></tr>
 * </table>
 *
 * <p>Whatever is lost is lost from the end: what remains is the effect of the first so many batches
 * in commit order, each whole.
 */
public enum Durability {
  /** Acknowledged when the log holds the write in the operating system's memory. */
  BUFFERED,
  /** As {@link #BUFFERED}, and synced in the background every {@link Options#syncInterval}. */
  PERIODIC,
  /** Acknowledged when the log is synced; concurrent writers share a sync. */
  SYNC
}
