package dev.siltstone.engine.table;

import dev.siltstone.engine.lz4.Lz4;
import dev.siltstone.engine.spi.Compressor;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The compressors that a store can read and write with: LZ4 and what the application adds.
 * Immutable; safe for concurrent use.
 */
public final class Compressors {
  /** The name that stands for no compression. */
  public static final String NONE = "none";

  private static final int IDS = 256;

  /** Lives in a module of its own, under this reserved id. */
  private static final int ZSTD_ID = 2;

  private static final String ZSTD = "zstd";

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
    if (knows(compressor.name())) {
      throw new IllegalArgumentException("two compressors named " + compressor.name());
    }
    byId[id] = compressor;
  }

  /** The names that options may give, {@code none} among them, sorted. */
  public List<String> names() {
    Set<String> names = new TreeSet<>();
    names.add(NONE);
    for (Compressor compressor : byId) {
      if (compressor != null) {
        names.add(compressor.name());
      }
    }
    return List.copyOf(names);
  }

  /** Whether options may give a name: that of a compressor, or {@code none}. */
  public boolean knows(String name) {
    return name.equals(NONE) || find(name) != null;
  }

  /** What to do about a compressor that is not there, by its name. */
  public static String howToAdd(String name) {
    return name.equals(ZSTD)
        ? "add the module siltstone-zstd, and give its ZstdCompressor to"
            + " Components.withCompressors"
        : "give it to Components.withCompressors";
  }

  /** What to do about a compressor that is not there, by its id. */
  static String howToAdd(int id) {
    String name = id == ZSTD_ID ? ZSTD : "";
    return "compressor "
        + id
        + (name.isEmpty() ? "" : " (" + name + ")")
        + ", which this process does not have; "
        + howToAdd(name);
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
