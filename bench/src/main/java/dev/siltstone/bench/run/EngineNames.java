package dev.siltstone.bench.run;

import dev.siltstone.bench.store.Engine;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Engines as named on a command line. */
final class EngineNames {
  /** Stands for every engine that keeps data on disk. */
  static final String ALL = "all";

  private EngineNames() {}

  /**
   * The engines, each once, in order.
   *
   * @throws IllegalArgumentException if there is no such engine
   */
  static List<Engine> parse(List<String> names) {
    Set<Engine> engines = new LinkedHashSet<>();
    for (String name : names) {
      if (name.equals(ALL)) {
        for (Engine engine : Engine.values()) {
          if (engine.has(Engine.Feature.LOG)) {
            engines.add(engine);
          }
        }
      } else {
        engines.add(Engine.of(name));
      }
    }
    return new ArrayList<>(engines);
  }
}
