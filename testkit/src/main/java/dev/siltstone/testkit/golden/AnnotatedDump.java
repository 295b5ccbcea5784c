package dev.siltstone.testkit.golden;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.ReadableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the bytes back from a hex dump that a page of documentation explains byte by byte, so that
 * a test can hold the page to what the code writes.
 *
 * <p>A line of a dump is the offset in four or more hexadecimal digits, two spaces, bytes in
 * hexadecimal with single spaces, any spaces, a bar, and the explanation. All other lines of the
 * page are skipped.
 *
 * <pre>
 *   0000  53 49 4c 54  | magic
 * </pre>
 */
public final class AnnotatedDump {
  private static final Pattern LINE =
      Pattern.compile("([0-9a-f]{4,})  ((?:[0-9a-f]{2} )*[0-9a-f]{2}) *\\| .*");

  private AnnotatedDump() {}

  /**
   * The bytes of the only dump of a page.
   *
   * @throws IllegalStateException if a line's offset is not the number of bytes before it
   */
  public static byte[] read(Path page) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (String line : text(page).lines().toList()) {
      Matcher matcher = LINE.matcher(line);
      if (!matcher.matches()) {
        continue;
      }
      int offset = Integer.parseInt(matcher.group(1), 16);
      if (offset != bytes.size()) {
        throw new IllegalStateException(
            page + ": offset " + matcher.group(1) + " after " + bytes.size() + " bytes");
      }
      bytes.writeBytes(HexFormat.ofDelimiter(" ").parseHex(matcher.group(2)));
    }
    return bytes.toByteArray();
  }

  private static String text(Path page) throws IOException {
    try (ReadableFile file = new OsFileSystem().open(page)) {
      byte[] bytes = new byte[Math.toIntExact(file.size())];
      int length = file.read(0, bytes, 0, bytes.length);
      return new String(bytes, 0, length, UTF_8);
    }
  }
}
