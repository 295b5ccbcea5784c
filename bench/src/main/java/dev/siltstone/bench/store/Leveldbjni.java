package dev.siltstone.bench.store;

import java.nio.file.Path;
import org.fusesource.leveldbjni.JniDBFactory;

/** Opens the C++ LevelDB through JNI. Apart, so that only its own process loads it. */
final class Leveldbjni {
  private Leveldbjni() {}

  static Store open(Path directory, StoreConfig config) {
    return LevelDbStore.open("leveldbjni", true, JniDBFactory.factory, directory, config);
  }
}
