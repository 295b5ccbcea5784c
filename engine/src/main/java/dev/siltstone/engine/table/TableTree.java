package dev.siltstone.engine.table;

/**
 * The tree that a table belongs to, kept in its properties so that a store whose manifest is lost
 * can be put together again. Only a repair reads it: what is in force stands in the manifest.
 *
 * @param id number of the tree, greater than 0
 * @param name its name
 * @param options what was fixed when it was created, in a form of the caller's; owned by this
 *     record, not to be changed
 */
public record TableTree(int id, String name, byte[] options) {
  /** Checks the number. */
  public TableTree {
    if (id <= 0) {
      throw new IllegalArgumentException("tree " + id);
    }
  }
}
