package dev.siltstone.bench.store;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The engines that can be measured, and what each needs to run. */
@SuppressWarnings("ImmutableEnumChecker") // Its lists and sets are copies that never change.
public enum Engine {
  /** Our own. */
  SILTSTONE("Siltstone, this project", List.of(), List.of(), EnumSet.allOf(Feature.class)),

  /** RocksDB through its own JNI binding. */
  ROCKSDBJNI(
      "RocksDB 11.8.1 through JNI",
      List.of("rocksdbjni-"),
      List.of("--enable-native-access=ALL-UNNAMED"),
      EnumSet.allOf(Feature.class)),

  /** The port of LevelDB to Java. */
  IQ80(
      "iq80 LevelDB 0.12, the port to Java",
      List.of("leveldb-0", "leveldb-api-0", "guava-", "snappy-0"),
      List.of("--sun-misc-unsafe-memory-access=allow"),
      EnumSet.of(Feature.LOG)),

  /** The C++ LevelDB through JNI. */
  LEVELDBJNI(
      "C++ LevelDB through leveldbjni 1.8",
      List.of("leveldbjni-all-"),
      List.of("--enable-native-access=ALL-UNNAMED"),
      EnumSet.allOf(Feature.class)),

  /** LMDB through lmdbjava. */
  LMDBJAVA(
      "LMDB through lmdbjava 0.9.3, a B-tree",
      List.of("lmdbjava-", "jnr-", "jffi-", "asm-"),
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"),
      EnumSet.of(Feature.DESCENDING, Feature.LOG)),

  /** The storage engine of H2. */
  MVSTORE(
      "H2 MVStore 2.4.240, a B-tree in Java",
      List.of("h2-mvstore-"),
      List.of(),
      EnumSet.of(Feature.DESCENDING, Feature.LOG)),

  /** JetBrains Xodus, without its entity layer. */
  XODUS(
      "Xodus 2.0.1, an append-only B-tree in Java",
      List.of("xodus-", "commons-compress-", "kotlin-", "slf4j-api-", "annotations-13"),
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"),
      EnumSet.of(Feature.DESCENDING, Feature.LOG)),

  /** MapDB. */
  MAPDB(
      "MapDB 3.1.0, a B-tree in Java",
      List.of(
          "mapdb-",
          "elsa-",
          "guava-",
          "kotlin-",
          "eclipse-collections-",
          "lz4-1",
          "annotations-13"),
      List.of(
          "--enable-native-access=ALL-UNNAMED",
          "--sun-misc-unsafe-memory-access=allow",
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"),
      EnumSet.of(Feature.DESCENDING, Feature.LOG)),

  /** The JDK's own sorted map: no files at all, a bound and a control. */
  SKIPLIST(
      "java.util.concurrent.ConcurrentSkipListMap, in memory only",
      List.of(),
      List.of(),
      EnumSet.of(Feature.DESCENDING));

  /** What not every engine has. */
  public enum Feature {
    /** Scans towards smaller keys. */
    DESCENDING,
    /** Compaction on demand. */
    COMPACT,
    /** Writes survive the end of the process. */
    LOG
  }

  private final String about;
  private final List<String> jarPrefixes;
  private final List<String> jvmArguments;
  private final Set<Feature> features;

  Engine(
      String about,
      List<String> jarPrefixes,
      List<String> jvmArguments,
      EnumSet<Feature> features) {
    this.about = about;
    this.jarPrefixes = jarPrefixes;
    this.jvmArguments = jvmArguments;
    this.features = Set.copyOf(features);
  }

  /** The name on the command line and in reports. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What it is, with its version. */
  public String about() {
    return about;
  }

  /** How the files of its own jars begin; no other engine may see these. */
  public List<String> jarPrefixes() {
    return jarPrefixes;
  }

  /** What its JVM must be told. */
  public List<String> jvmArguments() {
    return jvmArguments;
  }

  /** Whether it can do something. */
  public boolean has(Feature feature) {
    return features.contains(feature);
  }

  /** What it can do. */
  public Set<Feature> features() {
    return features;
  }

  /** Whether it is a log-structured merge tree, as ours. */
  public boolean isLsm() {
    return switch (this) {
      case SILTSTONE, ROCKSDBJNI, IQ80, LEVELDBJNI -> true;
      case LMDBJAVA, MVSTORE, XODUS, MAPDB, SKIPLIST -> false;
    };
  }

  /**
   * The settings it runs with, in words.
   *
   * @param config what {@link #open} will be given
   */
  public String settings(StoreConfig config) {
    return switch (this) {
      case SILTSTONE -> SiltstoneStore.settings(config);
      case ROCKSDBJNI -> RocksStore.settings(config);
      case IQ80 -> LevelDbStore.settings(config, "Snappy in Java");
      case LEVELDBJNI -> LevelDbStore.settings(config, "Snappy");
      case LMDBJAVA -> LmdbStore.settings();
      case MVSTORE -> MvStore.settings(config);
      case XODUS -> XodusStore.settings(config);
      case MAPDB -> MapDbStore.settings();
      case SKIPLIST -> SkipListStore.settings();
    };
  }

  /**
   * Opens a store, creating it if the directory holds none. Loads the classes of this engine and of
   * no other.
   *
   * @param directory an existing directory
   * @throws StoreException if the engine refuses
   */
  public Store open(Path directory, StoreConfig config) {
    return switch (this) {
      case SILTSTONE -> SiltstoneStore.open(directory, config);
      case ROCKSDBJNI -> RocksStore.open(directory, config);
      case IQ80 -> Iq80.open(directory, config);
      case LEVELDBJNI -> Leveldbjni.open(directory, config);
      case LMDBJAVA -> LmdbStore.open(directory, config);
      case MVSTORE -> MvStore.open(directory, config);
      case XODUS -> XodusStore.open(directory, config);
      case MAPDB -> MapDbStore.open(directory);
      case SKIPLIST -> new SkipListStore();
    };
  }

  /**
   * Finds an engine by its label.
   *
   * @throws IllegalArgumentException naming those there are
   */
  public static Engine of(String label) {
    List<String> known = new ArrayList<>();
    for (Engine engine : values()) {
      if (engine.label().equals(label)) {
        return engine;
      }
      known.add(engine.label());
    }
    throw new IllegalArgumentException(
        "no engine is called \"" + label + "\"; there are " + String.join(", ", known));
  }
}
