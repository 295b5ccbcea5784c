package dev.siltstone.engine.version;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the manifest says of a store at one moment. Immutable.
 *
 * @param trees by id
 * @param lastTime greatest hybrid time known to be in use when this was written
 * @param oldestLog log segments with smaller numbers are not needed
 * @param newestLog a log segment that has to exist unless it is not needed; 0 for none
 * @param nextTreeId greater than the id of every tree there ever was
 */
public record StoreState(
    Map<Integer, TreeState> trees, long lastTime, long oldestLog, long newestLog, int nextTreeId) {
  /** A store without trees. */
  static final StoreState EMPTY = new StoreState(Map.of(), 0, 0, 0, 1);

  /** Copies the map. */
  public StoreState {
    trees = Map.copyOf(trees);
  }

  /** The tree with that id, or null. */
  public @Nullable TreeState tree(int id) {
    return trees.get(id);
  }

  /** The tree of that name, or null. Costs a walk over all trees. */
  public @Nullable TreeState tree(String name) {
    for (TreeState tree : trees.values()) {
      if (tree.name().equals(name)) {
        return tree;
      }
    }
    return null;
  }

  /** All trees, in no particular order. */
  public Collection<TreeState> all() {
    return trees.values();
  }

  /** Adds the numbers of all table and blob files to a set. */
  public void addFileNumbers(Set<Long> numbers) {
    for (TreeState tree : trees.values()) {
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          numbers.add(file.number());
          for (long blob : file.blobs()) {
            numbers.add(blob);
          }
        }
      }
    }
  }
}
