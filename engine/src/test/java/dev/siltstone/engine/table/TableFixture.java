package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Hash64;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.PointResult;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Tables in memory and what the tests ask of them. */
final class TableFixture {
  static final Path PATH = Path.of("/t/000007.table");
  static final long NUMBER = 7;
  static final long STORE = 0x1234_5678_9abc_def0L;

  final SimFileSystem fileSystem = new SimFileSystem();
  final BlockCache cache = new BlockCache(8 << 20);
  final Compressors compressors = new Compressors();

  TableFixture() throws IOException {
    fileSystem.createDirectories(PATH.getParent());
  }

  /** Key and trailer, in internal order. */
  record Place(byte[] key, long trailer) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
        Comparator.comparing(Place::key, Bytes::compare)
            .thenComparing((a, b) -> Long.compareUnsigned(b.trailer, a.trailer));

    static Place of(String key, long time, int kind) {
      return new Place(
          key.getBytes(java.nio.charset.StandardCharsets.UTF_8), Trailer.of(time, kind));
    }

    @Override
    public int compareTo(Place other) {
      return ORDER.compare(this, other);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Place place && compareTo(place) == 0;
    }

    @Override
    public int hashCode() {
      return Long.hashCode(trailer) ^ java.util.Arrays.hashCode(key);
    }

    @Override
    public String toString() {
      String hex = Bytes.hex(key);
      return (hex.length() > 80 ? hex.substring(0, 80) + "..." + key.length : hex)
          + "@"
          + Trailer.time(trailer)
          + "/"
          + Trailer.kind(trailer);
    }
  }

  /** Adds to a table under construction. */
  @FunctionalInterface
  interface Content {
    void addTo(TableWriter writer) throws IOException;
  }

  TableProperties write(TableWriterOptions options, Content content) throws IOException {
    try (WritableFile file = fileSystem.create(PATH)) {
      TableWriter writer = new TableWriter(file, NUMBER, STORE, options);
      content.addTo(writer);
      return writer.finish();
    }
  }

  TableProperties write(TableWriterOptions options, NavigableMap<Place, byte[]> records)
      throws IOException {
    return write(options, writer -> addAll(writer, records));
  }

  static void addAll(TableWriter writer, NavigableMap<Place, byte[]> records) throws IOException {
    for (var entry : records.entrySet()) {
      add(writer, entry.getKey(), entry.getValue());
    }
  }

  static void add(TableWriter writer, Place place, byte[] value) throws IOException {
    writer.add(place.key, 0, place.key.length, place.trailer, value, 0, value.length);
  }

  TableReader open() throws IOException {
    return TableReader.open(fileSystem, PATH, NUMBER, STORE, cache, compressors);
  }

  /** Opens with a cache of its own, so that everything comes from the file. */
  TableReader openCold() throws IOException {
    return TableReader.open(fileSystem, PATH, NUMBER, STORE, new BlockCache(8 << 20), compressors);
  }

  /** Verifies the file and gives its faults. */
  List<CorruptFileException> faults() throws IOException {
    List<CorruptFileException> faults = new ArrayList<>();
    verify(faults::add, new ArrayList<>());
    return faults;
  }

  /** Verifies the file; throws the first fault. */
  void verify() throws IOException {
    List<CorruptFileException> faults = faults();
    if (!faults.isEmpty()) {
      throw faults.getFirst();
    }
  }

  /** Verifies the file and gives the bytes that it says to have read. */
  long verify(Consumer<CorruptFileException> faults, List<BlobReference> references)
      throws IOException {
    long[] read = new long[1];
    TableVerifier.verify(
        fileSystem,
        PATH,
        new TableIdentity(STORE, NUMBER),
        -1,
        compressors,
        new TableVerifier.Watcher() {
          @Override
          public void fault(CorruptFileException fault) {
            faults.accept(fault);
          }

          @Override
          public void reference(BlobReference reference, long offset) {
            references.add(reference);
          }

          @Override
          public void progress(long bytes) {
            read[0] += bytes;
          }
        });
    return read[0];
  }

  byte[] bytes() throws IOException {
    return fileSystem.bytes(PATH);
  }

  static @Nullable PointResult find(TableReader table, byte[] key, long atTime, int flags)
      throws IOException {
    PointResult result = new PointResult();
    long hash = Hash64.of(key, 0, key.length);
    return table.find(key, 0, key.length, hash, atTime, flags, result) ? result : null;
  }

  static byte[] value(PointResult result) {
    return Bytes.copy(result.valueArray(), result.valueOffset(), result.valueLength());
  }

  static Place place(InternalIterator iterator) {
    return new Place(
        Bytes.copy(iterator.keyArray(), iterator.keyOffset(), iterator.keyLength()),
        iterator.trailer());
  }

  static byte[] value(InternalIterator iterator) {
    return Bytes.copy(iterator.valueArray(), iterator.valueOffset(), iterator.valueLength());
  }

  static List<Place> forward(InternalIterator iterator) throws IOException {
    List<Place> places = new ArrayList<>();
    for (iterator.first(); iterator.valid(); iterator.next()) {
      places.add(place(iterator));
    }
    return places;
  }
}
