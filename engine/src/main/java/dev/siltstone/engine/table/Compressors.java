package dev.siltstone.engine.table;

import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The compressors that a store can read and write with: LZ4 and what the application adds.
 * Immutable; safe for concurrent use.
 */
public final class Compressors {
  private static final int IDS = 256;

  private final @Nullable Compressor[] byId = new @Nullable Compressor[IDS];

  /** LZ4 alone. */
  public Compressors() {
    this(List.of());
  }

  /**
   * LZ4 and more.
   *
   * @throws IllegalArgumentException if an id is out of range or given twice, or a name is
   */
  public Compressors(List<Compressor> more) {
    add(new Lz4());
    more.forEach(this::add);
  }

  private void add(Compressor compressor) {
    int id = compressor.id();
    if (id <= TableFormat.NOT_COMPRESSED || id >= IDS || byId[id] != null) {
      throw new IllegalArgumentException("compressor " + compressor.name() + " with id " + id);
    }
    if (find(compressor.name()) != null) {
      throw new IllegalArgumentException("two compressors named " + compressor.name());
    }
    byId[id] = compressor;
  }

  /** The compressor of an id, 0 to 255; {@code null} if there is none. */
  public @Nullable Compressor find(int id) {
    return byId[id];
  }

  /** The compressor of a name; {@code null} if there is none. */
  public @Nullable Compressor find(String name) {
    for (Compressor compressor : byId) {
      if (compressor != null && compressor.name().equals(name)) {
        return compressor;
      }
    }
    return null;
  }
}
