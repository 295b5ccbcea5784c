package dev.siltstone.bench.demo;

import dev.siltstone.bench.store.Store;
import dev.siltstone.bench.work.WrongAnswerException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;

/**
 * Loads dumps of other stores and dumps them again. A dump has one entry a line: key, tab, value,
 * in lower-case hex.
 *
 * <p>The rule of comparison: where the lines of a dump stand in the order of unsigned bytes, which
 * is ours, what we dump must be the same file byte for byte. Where its store had another order, the
 * two must be equal as sorted lists of lines; the result says so.
 */
final class Dumps {
  private static final List<String> BUNDLED = List.of("inventory", "edges", "newest-first");
  private static final String EXPECTED = "expected.tsv";
  private static final HexFormat HEX = HexFormat.of();

  private Dumps() {}

  /**
   * The dumps to load: those of a corpus, a folder with one folder for each that holds {@code
   * expected.tsv}; else those that come with the program.
   */
  static List<Dump> find(Path corpus) throws IOException {
    List<Dump> found = new ArrayList<>();
    if (Files.isDirectory(corpus)) {
      try (DirectoryStream<Path> cases = Files.newDirectoryStream(corpus)) {
        for (Path each : cases) {
          Path expected = each.resolve(EXPECTED);
          if (Files.isRegularFile(expected)) {
            found.add(new Dump(each.getFileName().toString(), Files.readAllBytes(expected)));
          }
        }
      }
      found.sort(Comparator.comparing(Dump::name));
    }
    return found.isEmpty() ? bundled() : found;
  }

  /** The dumps that come with the program. */
  static List<Dump> bundled() throws IOException {
    List<Dump> dumps = new ArrayList<>();
    for (String name : BUNDLED) {
      try (InputStream in = Dumps.class.getResourceAsStream("/dumps/" + name + ".tsv")) {
        if (in == null) {
          throw new IOException("the dump " + name + " is missing from the program");
        }
        dumps.add(new Dump(name, in.readAllBytes()));
      }
    }
    return dumps;
  }

  /**
   * Loads a dump into an empty store and compares what comes back.
   *
   * @throws IOException if a line of the dump is not as it must be
   */
  static Row run(Dump dump, Store store) throws IOException {
    List<String> lines = new String(dump.bytes(), StandardCharsets.ISO_8859_1).lines().toList();
    boolean ours = true;
    byte[] previous = null;
    for (String line : lines) {
      int tab = line.indexOf('\t');
      if (tab < 0) {
        throw new IOException("dump " + dump.name() + ": a line without a tab: " + line);
      }
      byte[] key = HEX.parseHex(line, 0, tab);
      store.put(key, HEX.parseHex(line, tab + 1, line.length()));
      ours &= previous == null || Arrays.compareUnsigned(previous, key) < 0;
      previous = key;
    }
    store.flush();
    byte[] dumped = dump(store);
    boolean identical =
        ours ? Arrays.equals(dumped, dump.bytes()) : sorted(dumped).equals(sorted(dump.bytes()));
    return new Row(dump.name(), lines.size(), identical, ours);
  }

  private static byte[] dump(Store store) {
    StringBuilder text = new StringBuilder();
    store.scan(
        null,
        false,
        (key, value) -> {
          HEX.formatHex(text, key).append('\t');
          HEX.formatHex(text, value).append('\n');
          return true;
        });
    return text.toString().getBytes(StandardCharsets.ISO_8859_1);
  }

  private static List<String> sorted(byte[] text) {
    return new String(text, StandardCharsets.ISO_8859_1).lines().sorted().toList();
  }

  /**
   * A dump.
   *
   * @param name of the store it came from
   * @param bytes the file
   */
  @SuppressWarnings("ArrayRecordComponent") // Read only, and never compared.
  record Dump(String name, byte[] bytes) {}

  /**
   * What loading a dump gave.
   *
   * @param name of the dump
   * @param entries its lines
   * @param identical whether what came back is the same, by the rule
   * @param byteForByte whether the rule was equality byte for byte, rather than of sorted lines
   */
  record Row(String name, long entries, boolean identical, boolean byteForByte) {
    String rule() {
      return byteForByte ? "byte for byte" : "sorted lines: its store had another order";
    }

    void require() {
      if (!identical) {
        throw new WrongAnswerException("dump " + name + " came back different");
      }
    }
  }
}
