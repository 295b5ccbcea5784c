package dev.siltstone.engine.table;

import dev.siltstone.base.bytes.Crc32c;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.UnsupportedFileException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What the end of a table file says of its identity, for those who do not know it.
 *
 * @param storeId of the store that wrote it
 * @param fileNumber that it was written under
 * @param sectionsOffset where the section table starts
 * @param sectionsStored stored length of the section table
 * @param undated whether all times in the blocks are 0, and the properties have one for all
 */
public record TableFooter(
    long storeId, long fileNumber, long sectionsOffset, int sectionsStored, boolean undated) {

  /** Reads the footer of a file. */
  public static TableFooter read(FileSystem fileSystem, Path path) throws IOException {
    try (ReadableFile file = fileSystem.open(path)) {
      return read(file, path);
    }
  }

  static TableFooter read(ReadableFile file, Path path) throws IOException {
    long at = file.size() - TableFormat.FOOTER_BYTES;
    if (at < 0) {
      throw new CorruptFileException(path, -1, "a table file of " + file.size() + " bytes");
    }
    byte[] bytes = new byte[TableFormat.FOOTER_BYTES];
    int read = file.read(at, bytes, 0, bytes.length);
    if (read != bytes.length) {
      throw new CorruptFileException(
          path, at, bytes.length + " bytes expected, " + read + " found");
    }
    long magic = Fixed.getLong(bytes, TableFormat.FOOTER_MAGIC);
    if (magic != TableFormat.MAGIC) {
      throw new CorruptFileException(
          path, at, "magic %016x expected, %016x found".formatted(TableFormat.MAGIC, magic));
    }
    long storeId = Fixed.getLong(bytes, TableFormat.FOOTER_STORE_ID);
    long fileNumber = Fixed.getLong(bytes, TableFormat.FOOTER_FILE_NUMBER);
    int bare = Crc32c.of(bytes, 0, TableFormat.FOOTER_CRC);
    int expected = Crc32c.bind(bare, TableFormat.identity(storeId, fileNumber), at);
    int found = Fixed.getInt(bytes, TableFormat.FOOTER_CRC);
    if (expected != found || Fixed.getInt(bytes, TableFormat.FOOTER_CRC + Integer.BYTES) != 0) {
      throw new CorruptFileException(
          path, at, "checksum of the footer: %08x expected, %08x found".formatted(expected, found));
    }
    int version = Fixed.getInt(bytes, TableFormat.FOOTER_VERSION);
    int features = Fixed.getInt(bytes, TableFormat.FOOTER_FEATURES);
    if (version != TableFormat.VERSION || (features & ~TableFormat.FEATURE_UNDATED) != 0) {
      throw new UnsupportedFileException(
          path
              + ": table format "
              + version
              + " with features "
              + features
              + "; known are format "
              + TableFormat.VERSION
              + " and feature "
              + TableFormat.FEATURE_UNDATED);
    }
    long bytesThen = Fixed.getLong(bytes, TableFormat.FOOTER_FILE_BYTES);
    if (bytesThen != file.size()) {
      throw new CorruptFileException(
          path, -1, bytesThen + " bytes expected, " + file.size() + " found");
    }
    return new TableFooter(
        storeId,
        fileNumber,
        Fixed.getLong(bytes, TableFormat.FOOTER_SECTIONS_OFFSET),
        Fixed.getInt(bytes, TableFormat.FOOTER_SECTIONS_BYTES),
        (features & TableFormat.FEATURE_UNDATED) != 0);
  }

  /** Refuses a file of another store or number. */
  void require(Path path, long expectedStoreId, long expectedFileNumber)
      throws CorruptFileException {
    if (storeId != expectedStoreId || fileNumber != expectedFileNumber) {
      throw new CorruptFileException(
          path,
          -1,
          "file %d of store %016x expected, file %d of store %016x found"
              .formatted(expectedFileNumber, expectedStoreId, fileNumber, storeId));
    }
  }
}
