package dev.siltstone.tools;

import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The files in the directory of a store, by kind. They may come and go while they are counted.
 *
 * @param kinds what each kind takes; kinds without a file are absent
 * @param foreign what files take that no store makes
 */
record StoreFiles(Map<FileNames.Kind, Usage> kinds, Usage foreign) {
  private static final int OWNER_BYTES_MAX = 4096;
  private static final Usage NOTHING = new Usage(0, 0);

  /**
   * What some files take.
   *
   * @param files how many there are
   * @param bytes their lengths together
   */
  record Usage(long files, long bytes) {
    Usage plus(long fileBytes) {
      return new Usage(files + 1, bytes + fileBytes);
    }
  }

  static StoreFiles in(Path directory) throws IOException {
    Map<FileNames.Kind, Usage> kinds = new EnumMap<>(FileNames.Kind.class);
    Usage foreign = NOTHING;
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        FileNames.Parsed name = FileNames.parse(String.valueOf(entry.getFileName()));
        long bytes = size(entry);
        if (bytes < 0) {
          continue;
        }
        if (name == null) {
          foreign = foreign.plus(bytes);
        } else {
          Usage before = kinds.getOrDefault(name.kind(), NOTHING);
          kinds.put(name.kind(), before.plus(bytes));
        }
      }
    }
    return new StoreFiles(kinds, foreign);
  }

  Usage of(FileNames.Kind kind) {
    return kinds.getOrDefault(kind, NOTHING);
  }

  /** What the store's own files take. */
  long bytes() {
    long bytes = 0;
    for (Usage usage : kinds.values()) {
      bytes += usage.bytes();
    }
    return bytes;
  }

  /** Who says to have the store open for writing, or {@code null}; takes no lock. */
  static @Nullable String owner(Path directory) throws IOException {
    try (var in = Files.newInputStream(directory.resolve(FileNames.LOCK_OWNER))) {
      return new String(in.readNBytes(OWNER_BYTES_MAX), StandardCharsets.UTF_8).strip();
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  /** The length of a regular file; -1 for what is none, or is gone. */
  private static long size(Path entry) throws IOException {
    try {
      return Files.isRegularFile(entry) ? Files.size(entry) : -1;
    } catch (NoSuchFileException e) {
      return -1;
    }
  }
}
