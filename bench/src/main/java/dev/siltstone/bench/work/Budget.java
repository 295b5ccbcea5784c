package dev.siltstone.bench.work;

/**
 * How far a run may go, and how far it is. A step that takes long, such as a scan of everything,
 * asks from time to time and says what it has done.
 */
public interface Budget {
  /** A budget without an end, for work that is not measured. */
  Budget UNLIMITED =
      new Budget() {
        @Override
        public boolean spent() {
          return false;
        }
      };

  /** Whether the time is over. What asked must end soon. */
  boolean spent();
}
