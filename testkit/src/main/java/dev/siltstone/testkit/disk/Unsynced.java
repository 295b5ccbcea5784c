package dev.siltstone.testkit.disk;

import java.nio.file.Path;

/**
 * Something a power loss may take.
 *
 * @param path the file, or the name in a directory
 * @param change what has not been synced
 */
public record Unsynced(Path path, Change change) {

  /** Kinds of changes. */
  public enum Change {
    /** Bytes or length of a file that has a name. */
    CONTENT,
    /** A name was added to its directory, or made to mean another file. */
    NAME_ADDED,
    /** A name was removed from its directory. */
    NAME_REMOVED
  }
}
