package dev.siltstone.tools.lines;

import dev.siltstone.base.bytes.Bytes;
import java.io.IOException;

/** Bytes that are not UTF-8 were to be written as text. */
public final class NotTextException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Longest part of the bytes that the message shows. */
  private static final int SHOWN_BYTES_MAX = 32;

  NotTextException(String name, byte[] bytes) {
    super(
        name
            + " 0x"
            + Bytes.hex(bytes, 0, Math.min(bytes.length, SHOWN_BYTES_MAX))
            + (bytes.length > SHOWN_BYTES_MAX ? "..." : "")
            + " is not UTF-8 text");
  }
}
