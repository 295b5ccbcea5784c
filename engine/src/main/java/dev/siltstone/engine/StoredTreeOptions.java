package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.engine.spi.SubtreeLengths;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * The options of a tree as the manifest keeps them: lines of {@code name = value} in UTF-8. A name
 * that is not known belongs to a newer version: it is passed over, and kept when the others are
 * written anew; a value that cannot be read counts as the default, since none of them shapes bytes,
 * but for the name of the subtree lengths, which is text.
 */
final class StoredTreeOptions {
  private static final String RETENTION = "retention_millis";
  private static final String BLOCK_BYTES = "block_bytes";
  private static final String FILTER_BITS = "filter_bits_per_key";
  private static final String COMPRESSION = "compression";
  private static final String SUBTREES = "subtrees";
  private static final String COMPACTION_FILTER = "compaction_filter";

  private static final Set<String> KNOWN =
      Set.of(RETENTION, BLOCK_BYTES, FILTER_BITS, COMPRESSION, SUBTREES, COMPACTION_FILTER);

  private final Map<String, String> values = new TreeMap<>();

  private StoredTreeOptions() {}

  static byte[] encode(TreeOptions options) {
    return encode(options, options.subtrees().name());
  }

  /** As {@link #encode(TreeOptions)}, where nobody has given the subtree lengths. */
  static byte[] encode(TreeOptions options, String subtreesName) {
    StringBuilder text = new StringBuilder();
    line(text, RETENTION, options.retention().toMillis());
    line(text, BLOCK_BYTES, options.blockBytes());
    line(text, FILTER_BITS, options.filterBitsPerKey());
    line(text, COMPRESSION, options.compression());
    line(text, SUBTREES, subtreesName);
    if (!options.compactionFilter().isEmpty()) {
      line(text, COMPACTION_FILTER, options.compactionFilter());
    }
    return text.toString().getBytes(UTF_8);
  }

  /** As {@link #encode(TreeOptions)}, with the lines of before that only a newer version knows. */
  static byte[] encode(TreeOptions options, byte[] before) {
    StringBuilder text = new StringBuilder(new String(encode(options), UTF_8));
    new String(before, UTF_8)
        .lines()
        .filter(line -> !KNOWN.contains(nameOf(line)))
        .forEach(line -> text.append(line).append('\n'));
    return text.toString().getBytes(UTF_8);
  }

  /** What stands before the equals sign; all of the line if there is none. */
  private static String nameOf(String line) {
    int equals = line.indexOf('=');
    return (equals < 0 ? line : line.substring(0, equals)).strip();
  }

  private static void line(StringBuilder text, String name, Object value) {
    text.append(name).append(" = ").append(value).append('\n');
  }

  static StoredTreeOptions decode(byte[] bytes) {
    StoredTreeOptions stored = new StoredTreeOptions();
    new String(bytes, UTF_8)
        .lines()
        .forEach(
            line -> {
              int equals = line.indexOf('=');
              if (equals > 0) {
                stored.values.put(
                    line.substring(0, equals).strip(), line.substring(equals + 1).strip());
              }
            });
    return stored;
  }

  /** The name of the subtree lengths; empty for none. */
  String subtreesName() {
    return values.getOrDefault(SUBTREES, "");
  }

  /** The options without subtree lengths, which only the application can give. */
  TreeOptions options() {
    TreeOptions defaults = TreeOptions.DEFAULT;
    try {
      return new TreeOptions(
          Duration.ofMillis(number(RETENTION, 0)),
          Math.toIntExact(number(BLOCK_BYTES, defaults.blockBytes())),
          Math.toIntExact(number(FILTER_BITS, defaults.filterBitsPerKey())),
          values.getOrDefault(COMPRESSION, defaults.compression()),
          SubtreeLengths.NONE,
          values.getOrDefault(COMPACTION_FILTER, ""));
    } catch (IllegalArgumentException | ArithmeticException e) {
      return defaults;
    }
  }

  private long number(String name, long otherwise) {
    String value = values.get(name);
    return value == null ? otherwise : Long.parseLong(value);
  }
}
