package dev.siltstone.engine.table;

import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The compressors that blocks may name. Immutable. */
public final class Compressors {
  private static final int IDS = 256;

  private final @Nullable Compressor[] byId = new Compressor[IDS];

  /**
   * The built-in LZ4 and what is given.
   *
   * @throws IllegalArgumentException if an id is taken or out of range
   */
  public Compressors(List<Compressor> others) {
    add(new Lz4());
    others.forEach(this::add);
  }

  private void add(Compressor compressor) {
    int id = compressor.id();
    if (id <= 0 || id >= IDS || byId[id] != null) {
      throw new IllegalArgumentException(
          "compressor '" + compressor.name() + "': id " + id + " is taken or not 1 to 255");
    }
    byId[id] = compressor;
  }

  /** The compressor of a block, or {@code null} if there is none of that id. */
  @Nullable Compressor find(int id) {
    return byId[id];
  }

  /** The compressor of a name, or {@code null} if there is none. */
  public @Nullable Compressor find(String name) {
    for (Compressor compressor : byId) {
      if (compressor != null && compressor.name().equals(name)) {
        return compressor;
      }
    }
    return null;
  }
}
