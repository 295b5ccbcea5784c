package dev.siltstone.bench.store;

import java.nio.file.Path;
import org.iq80.leveldb.impl.Iq80DBFactory;

/** Opens the port of LevelDB to Java. Apart, so that only its own process loads it. */
final class Iq80 {
  private Iq80() {}

  static Store open(Path directory, StoreConfig config) {
    return LevelDbStore.open("iq80", false, Iq80DBFactory.factory, directory, config);
  }
}
