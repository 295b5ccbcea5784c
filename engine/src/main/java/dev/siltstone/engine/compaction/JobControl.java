package dev.siltstone.engine.compaction;

/** Watches over a job. Called on the job's thread. */
public interface JobControl {
  /** Lets every job run through. */
  JobControl NONE = _ -> true;

  /**
   * Called now and then while the job runs; may pause it by taking its time.
   *
   * @return whether the job is to go on
   */
  boolean proceed(JobStats stats);

  /**
   * Called for each record in a blob file that does not live on, so that its file can be removed
   * with the inputs.
   *
   * @param trailer of the dropped record
   * @param value the stored value, borrowed for the call: the reference to the blob file, after the
   *     expiry if the kind has the EXPIRES flag
   */
  default void separatedDropped(long trailer, byte[] value, int offset, int length) {
    // Whoever counts the references of all live files needs no notice.
  }
}
