package dev.siltstone.engine;

import dev.siltstone.base.io.FileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes directories so that a power loss does not take them away again. */
final class Directories {
  private Directories() {}

  /**
   * Makes a directory and its missing parents, durably: the name of each is an entry of the one
   * above. Those that are there already may be what a process has left that died right here.
   */
  static void make(FileSystem fileSystem, Path directory) throws IOException {
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
