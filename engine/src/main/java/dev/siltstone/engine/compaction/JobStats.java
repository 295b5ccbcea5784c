package dev.siltstone.engine.compaction;

/**
 * What a job has done so far.
 *
 * @param entriesIn records read
 * @param rawBytesIn bytes of their keys and values, and 8 for each trailer
 * @param entriesOut records written
 * @param rawBytesOut the same of these
 * @param copied records among those written that went in whole blocks
 * @param hidden records dropped because something at a prefix of their key or a range delete hides
 *     them
 * @param shadowed records dropped because a newer one of the same key stands for them
 * @param deletes deletes dropped because nothing is left for them to hide
 * @param expired expired records dropped
 * @param filtered records dropped by the compaction filter
 * @param rangeTimes times of range-delete fragments dropped
 */
public record JobStats(
    long entriesIn,
    long rawBytesIn,
    long entriesOut,
    long rawBytesOut,
    long copied,
    long hidden,
    long shadowed,
    long deletes,
    long expired,
    long filtered,
    long rangeTimes) {
  /** Nothing. */
  static final JobStats NONE = new JobStats(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

  /** What two jobs have done together. */
  JobStats plus(JobStats other) {
    return new JobStats(
        entriesIn + other.entriesIn,
        rawBytesIn + other.rawBytesIn,
        entriesOut + other.entriesOut,
        rawBytesOut + other.rawBytesOut,
        copied + other.copied,
        hidden + other.hidden,
        shadowed + other.shadowed,
        deletes + other.deletes,
        expired + other.expired,
        filtered + other.filtered,
        rangeTimes + other.rangeTimes);
  }

  /** Records dropped, whatever the cause. */
  public long dropped() {
    return hidden + shadowed + deletes + expired + filtered;
  }
}
