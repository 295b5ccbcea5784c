package dev.siltstone.testkit.disk;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Walks over the nodes of a simulated disk, as they are seen now. */
final class SimTree {
  private SimTree() {}

  /** The names from the root to a path. */
  static List<String> names(Path path) {
    List<String> names = new ArrayList<>(path.getNameCount());
    for (Path name : path.normalize()) {
      if (!name.toString().isEmpty()) {
        names.add(name.toString());
      }
    }
    return names;
  }

  static String lastName(Path path) {
    return names(path).getLast();
  }

  static @Nullable SimNode find(SimNode.Directory root, List<String> names) {
    SimNode node = root;
    for (String name : names) {
      if (!(node instanceof SimNode.Directory directory)) {
        return null;
      }
      node = directory.current.get(name);
    }
    return node;
  }

  /** The files below a directory, once for each of their names. */
  static List<SimNode> files(SimNode.Directory directory) {
    List<SimNode> files = new ArrayList<>();
    for (SimNode child : directory.current.values()) {
      switch (child) {
        case SimNode.File file -> files.add(file);
        case SimNode.Directory below -> files.addAll(files(below));
      }
    }
    return files;
  }

  static List<Unsynced> unsynced(SimNode.Directory root) {
    List<Unsynced> found = new ArrayList<>();
    Set<SimNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    collectUnsynced(Path.of("/"), root, seen, found);
    return found;
  }

  private static void collectUnsynced(
      Path path, SimNode.Directory directory, Set<SimNode> seen, List<Unsynced> found) {
    Map<String, SimNode> current = directory.current;
    Map<String, SimNode> durable = directory.durable;
    current.forEach(
        (name, child) -> {
          if (durable.get(name) != child) {
            found.add(new Unsynced(path.resolve(name), Unsynced.Change.NAME_ADDED));
          }
          if (!seen.add(child)) {
            return;
          }
          switch (child) {
            case SimNode.File file -> {
              if (!file.isClean() || file.diverged) {
                found.add(new Unsynced(path.resolve(name), Unsynced.Change.CONTENT));
              }
            }
            case SimNode.Directory below -> collectUnsynced(path.resolve(name), below, seen, found);
          }
        });
    for (String name : durable.keySet()) {
      if (!current.containsKey(name)) {
        found.add(new Unsynced(path.resolve(name), Unsynced.Change.NAME_REMOVED));
      }
    }
  }
}
