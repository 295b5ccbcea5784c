package dev.siltstone.engine.wal;

import dev.siltstone.base.bytes.Fixed;
import java.nio.charset.StandardCharsets;

/** What a file of log records is for; told by its first eight bytes. On disk, never change. */
public enum LogKind {
  /** A segment of the write-ahead log. */
  WAL("SILT-WAL"),
  /** A manifest. */
  MANIFEST("SILT-MAN");

  private final long code;

  LogKind(String magic) {
    this.code = Fixed.getLong(magic.getBytes(StandardCharsets.US_ASCII), 0);
  }

  /** The first eight bytes of the file, as a little-endian number. */
  long code() {
    return code;
  }
}
