package dev.siltstone.engine.version;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.wal.LogFormat;
import dev.siltstone.engine.wal.LogKind;
import dev.siltstone.engine.wal.SegmentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collection;

/**
 * Finds the manifest in force and reads it.
 *
 * <ol>
 *   <li>The newest marker names it. A marker is made only after its manifest is durable, so what it
 *       names has to be there and whole; an older manifest would be a state of the past, whose
 *       files may be gone or, worse, may not be.
 *   <li>Without a marker, the newest manifest is taken: it has its name only since it is whole.
 *   <li>Without a manifest there must be no other file of a store either.
 * </ol>
 */
final class ManifestReader {
  private ManifestReader() {}

  /**
   * What a manifest says.
   *
   * @param nextFileNumber greater than every file number that it names
   */
  record Contents(long storeId, long number, long nextFileNumber, StoreState state) {}

  /**
   * The number of the manifest in force; 0 if the directory holds no store.
   *
   * @throws CorruptFileException if it holds one without a manifest
   */
  static long find(FileSystem fileSystem, Path directory) throws IOException {
    long marker = 0;
    long manifest = 0;
    int others = 0;
    Collection<String> names = fileSystem.list(directory);
    for (String name : names) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null) {
        continue;
      }
      switch (parsed.kind()) {
        case CURRENT -> marker = Math.max(marker, parsed.number());
        case MANIFEST -> manifest = Math.max(manifest, parsed.number());
        case TABLE, BLOB, LOG -> others++;
        case TEMPORARY, OPTIONS, LOCK -> {
          // May be there before the first manifest is.
        }
      }
    }
    if (marker != 0) {
      String name = FileNames.manifest(marker);
      if (!names.contains(name)) {
        throw new CorruptFileException(
            directory.resolve(name),
            -1,
            "missing, though " + FileNames.current(marker) + " names it");
      }
      return marker;
    }
    if (manifest == 0 && others > 0) {
      throw new CorruptFileException(
          directory, -1, "no manifest, but " + others + " tables, blobs and log segments");
    }
    return manifest;
  }

  /** Reads a manifest from front to back. */
  static Contents read(FileSystem fileSystem, Path directory, long number) throws IOException {
    Path file = directory.resolve(FileNames.manifest(number));
    SegmentReader reader = SegmentReader.open(fileSystem, file, LogKind.MANIFEST);
    if (reader.header().number() != number) {
      throw new CorruptFileException(
          file, 0, "the header says that this is manifest " + reader.header().number());
    }
    StateBuilder builder = new StateBuilder(StoreState.EMPTY);
    long nextFileNumber = 1;
    int edits = 0;
    while (reader.next()) {
      VersionEdit edit = decode(reader);
      if (edit.snapshot != (edits == 0)) {
        throw new CorruptFileException(
            file,
            reader.offset(),
            "edit " + edits + (edits == 0 ? " is no" : " is a") + " snapshot");
      }
      apply(builder, edit, reader);
      if (edit.nextFileNumber != null) {
        nextFileNumber = Math.max(nextFileNumber, edit.nextFileNumber);
      }
      edits++;
    }
    refuseDamage(reader, edits);
    return new Contents(
        reader.header().storeId(), number, nextFileNumber, build(builder, reader, nextFileNumber));
  }

  private static VersionEdit decode(SegmentReader reader) throws IOException {
    if (reader.type() != LogFormat.DATA) {
      throw new CorruptFileException(
          reader.file(), reader.offset(), "record of type " + reader.type() + " in a manifest");
    }
    int from = reader.payloadOffset();
    return ManifestFormat.decode(
        new FieldReader(reader.file(), reader.array(), from, from + reader.payloadLength()));
  }

  private static void apply(StateBuilder builder, VersionEdit edit, SegmentReader reader)
      throws CorruptFileException {
    try {
      builder.apply(edit);
    } catch (IllegalArgumentException e) {
      throw new CorruptFileException(
          reader.file(), reader.offset(), "an edit does not fit those before: " + e.getMessage());
    }
  }

  /** The rest after the last intact edit is a torn tail, unless something tells otherwise. */
  private static void refuseDamage(SegmentReader reader, int edits) throws CorruptFileException {
    SegmentReader.Remains remains = reader.remains();
    if (remains.watermark() > reader.end()) {
      throw reader.damage(
          "a record further on says that all was durable to " + remains.watermark(),
          remains.records());
    }
    if (edits == 0) {
      throw reader.damage("a manifest has its name only with a first edit", remains.records());
    }
  }

  private static StoreState build(StateBuilder builder, SegmentReader reader, long nextFileNumber)
      throws CorruptFileException {
    try {
      StoreState state = builder.build();
      StateBuilder.checkNumbers(state, nextFileNumber);
      return state;
    } catch (IllegalArgumentException e) {
      throw new CorruptFileException(
          reader.file(), -1, "the edits lead to an impossible state: " + e.getMessage());
    }
  }
}
