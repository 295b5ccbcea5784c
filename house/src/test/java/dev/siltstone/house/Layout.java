package dev.siltstone.house;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which module may use which, which packages are its doors, and how the packages of the engine lie
 * above each other. The rules read these tables; a new module or engine package is entered here.
 */
final class Layout {
  /** Modules by name, and the modules that each may use. */
  static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          Map.entry("base", Set.of()),
          Map.entry("testkit", Set.of("base")),
          Map.entry("engine", Set.of("base")),
          Map.entry("zstd", Set.of("engine", "base")),
          Map.entry("leveldb", Set.of("engine", "base")),
          Map.entry("doc", Set.of("engine", "base")),
          Map.entry("term", Set.of("engine", "base")),
          Map.entry("cql", Set.of("doc", "engine", "base")),
          Map.entry("erl", Set.of("term", "engine", "base")),
          Map.entry(
              "tools", Set.of("cql", "erl", "doc", "term", "leveldb", "zstd", "engine", "base")),
          Map.entry(
              "bench",
              Set.of("tools", "cql", "erl", "doc", "term", "leveldb", "zstd", "engine", "base")));

  /** Packages of a module that other modules may use. A module that is not named is all open. */
  static final Map<String, Set<String>> DOORS =
      Map.of(
          "engine", Set.of("engine", "engine.spi"),
          "zstd", Set.of("zstd"),
          "doc", Set.of("doc"),
          "term", Set.of("term", "term.etf"));

  /** Packages that a module may use besides the doors. */
  static final Map<String, Set<String>> ALSO_OPEN =
      Map.of(
          "tools",
          Set.of("engine.file", "engine.key", "engine.table", "engine.version", "engine.wal"));

  /** Modules that look behind all doors, because they measure what is there. */
  static final Set<String> SEES_ALL = Set.of("bench");

  /** What users embed: these touch the world only through the seams of base. */
  static final List<String> LIBRARIES =
      List.of("base", "engine", "zstd", "leveldb", "doc", "term", "cql", "erl");

  /** What users embed without any library of others at run time. */
  static final List<String> WITHOUT_DEPENDENCIES = List.of("base", "engine", "doc", "term");

  /**
   * Packages of the engine from the ground up. A package may use only packages of lower rows, so
   * that neighbours in a row never meet.
   */
  static final List<Set<String>> ENGINE_ROWS =
      List.of(
          Set.of("engine.key", "engine.file"),
          Set.of("engine.spi"),
          Set.of("engine.blob", "engine.cache", "engine.iter", "engine.lz4"),
          Set.of("engine.memtable", "engine.wal", "engine.table"),
          Set.of("engine.version"),
          Set.of("engine.gap", "engine.check"),
          Set.of("engine.read", "engine.compaction"),
          Set.of("engine.repair"),
          Set.of("engine"));

  /** Engine packages whose enums reach the disk. */
  static final Set<String> PERSISTED =
      Set.of("engine.key", "engine.wal", "engine.table", "engine.version");

  private Layout() {}

  /** The row of an engine package, or -1 if it has none. */
  static int row(String enginePackage) {
    for (int i = 0; i < ENGINE_ROWS.size(); i++) {
      if (ENGINE_ROWS.get(i).contains(enginePackage)) {
        return i;
      }
    }
    return -1;
  }
}
