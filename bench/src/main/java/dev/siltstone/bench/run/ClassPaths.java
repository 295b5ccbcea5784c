package dev.siltstone.bench.run;

import dev.siltstone.bench.store.Engine;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Class paths on which the libraries of one engine do not meet those of another: all of ours, less
 * every jar that belongs to another engine.
 */
final class ClassPaths {
  private ClassPaths() {}

  /**
   * The class path for a child.
   *
   * @param whole class path of this process
   * @throws IllegalStateException if jars of the engine are not there
   */
  static String of(Engine engine, String whole) {
    List<String> kept = new ArrayList<>();
    List<String> missing = new ArrayList<>(engine.jarPrefixes());
    for (String entry : whole.split(File.pathSeparator, -1)) {
      String name = Path.of(entry).getFileName().toString();
      boolean own = belongs(name, engine);
      if (own || !belongsToAny(name)) {
        // A child runs in another folder.
        kept.add(Path.of(entry).toAbsolutePath().toString());
      }
      missing.removeIf(name::startsWith);
    }
    if (!missing.isEmpty()) {
      throw new IllegalStateException(
          "the jars of "
              + engine.label()
              + " are not on the class path (missing: "
              + String.join(", ", missing)
              + "); start it with ./siltstone bench, which fetches them");
    }
    return String.join(File.pathSeparator, kept);
  }

  private static boolean belongsToAny(String name) {
    for (Engine engine : Engine.values()) {
      if (belongs(name, engine)) {
        return true;
      }
    }
    return false;
  }

  private static boolean belongs(String name, Engine engine) {
    return engine.jarPrefixes().stream().anyMatch(name::startsWith);
  }
}
