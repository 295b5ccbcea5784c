package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes directories so that a power loss does not take them away again, and looks into them. */
final class Directories {
  /** Is in every root directory of some file systems, so that a store can have one of its own. */
  private static final String LOST_AND_FOUND = "lost+found";

  /** So many foreign names are told. */
  private static final int NAMES_MAX = 3;

  private Directories() {}

  /**
   * Refuses a directory that a new store would share with files of others. What a creation that
   * failed, or a store that was destroyed, has left is our own.
   */
  static void requireNoForeign(FileSystem fileSystem, Path directory) throws IOException {
    List<String> foreign = new ArrayList<>(fileSystem.list(directory));
    foreign.removeIf(name -> FileNames.parse(name) != null || name.equals(LOST_AND_FOUND));
    if (foreign.isEmpty()) {
      return;
    }
    foreign.sort(null);
    int more = foreign.size() - NAMES_MAX;
    throw new DbException.Unavailable(
        directory
            + " holds no store, but "
            + String.join(", ", more > 0 ? foreign.subList(0, NAMES_MAX) : foreign)
            + (more > 0 ? " and " + more + " more" : "")
            + "; a new store is made in a missing or empty directory only: name another directory,"
            + " or move what is in this one",
        null);
  }

  /** Why there is no store at a path that names one, and what to do if that is not plain. */
  static DbException noStore(FileSystem fileSystem, Path directory) throws IOException {
    String why = "";
    if (!fileSystem.exists(directory)) {
      why =
          fileSystem.isSymbolicLink(directory)
              ? ": it is a symbolic link that leads nowhere; make the directory it leads to, or"
                  + " remove it"
              : ": there is no such directory";
    }
    return new DbException.Unavailable(directory + " holds no store" + why, null);
  }

  /** Says what is in the way of a directory; to make it would only fail somehow. */
  private static void requirePossible(FileSystem fileSystem, Path directory) throws IOException {
    Path at = directory.toAbsolutePath();
    while (at != null && !fileSystem.exists(at)) {
      if (fileSystem.isSymbolicLink(at)) {
        throw noStore(fileSystem, at);
      }
      at = at.getParent();
    }
    if (at != null && isFile(fileSystem, at)) {
      throw new NotDirectoryException(at.toString());
    }
  }

  private static boolean isFile(FileSystem fileSystem, Path path) throws IOException {
    try {
      fileSystem.size(path);
      return true;
    } catch (CorruptFileException e) {
      return false;
    }
  }

  /**
   * Makes a directory and its missing parents, durably: the name of each is an entry of the one
   * above. Those that are there already may be what a process has left that died right here.
   */
  static void make(FileSystem fileSystem, Path directory) throws IOException {
    requirePossible(fileSystem, directory);
    List<Path> made = new ArrayList<>();
    List<Path> there = new ArrayList<>();
    for (Path at = directory.toAbsolutePath(); at.getParent() != null; at = at.getParent()) {
      (fileSystem.exists(at) ? there : made).add(at.getParent());
    }
    fileSystem.createDirectories(directory);
    for (Path parent : made) {
      fileSystem.syncDirectory(parent);
    }
    for (Path parent : there) {
      try {
        fileSystem.syncDirectory(parent);
      } catch (IOException e) {
        // Most likely a directory that we may pass through but not open.
      }
    }
  }
}
