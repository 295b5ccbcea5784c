import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Checks that every Java file of the tree is formatted as google-java-format would, or formats it.
 *
 * <p>{@code FormatCheck <root> [--write]}. Files are those git tracks or would track; without git,
 * all below the root outside {@code target}. Hashes of files known to be clean are kept in {@code
 * target/format-clean.txt}, so that a check of an unchanged tree formats nothing. Exit status 1
 * when a file is not formatted or does not parse.
 */
final class FormatCheck {
  private FormatCheck() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    Path root = Path.of(args[0]).toAbsolutePath().normalize();
    boolean write = args.length > 1 && args[1].equals("--write");
    Path cleanFile = root.resolve("target/format-clean.txt");
    Set<String> known = readLines(cleanFile);
    Set<String> clean = new ConcurrentSkipListSet<>();
    Set<String> bad = new ConcurrentSkipListSet<>();
    List<Path> files = javaFiles(root);

    files.parallelStream()
        .forEach(
            file -> {
              try {
                String source = Files.readString(file);
                String hash = hash(source);
                if (!known.contains(hash)) {
                  String formatted = new Formatter().formatSourceAndFixImports(source);
                  if (!formatted.equals(source)) {
                    if (!write) {
                      bad.add(root.relativize(file).toString());
                      return;
                    }
                    Files.writeString(file, formatted);
                    hash = hash(formatted);
                    System.out.println("formatted " + root.relativize(file));
                  }
                }
                clean.add(hash);
              } catch (FormatterException e) {
                bad.add(root.relativize(file) + ": " + e.getMessage());
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });

    Files.createDirectories(cleanFile.getParent());
    Files.write(cleanFile, clean);
    if (!bad.isEmpty()) {
      System.err.println("Not formatted (./siltstone format does it):");
      bad.forEach(line -> System.err.println("  " + line));
      System.exit(1);
    }
    System.out.println("format: " + files.size() + " files clean");
  }

  private static List<Path> javaFiles(Path root) throws IOException, InterruptedException {
    List<Path> tracked = gitFiles(root);
    if (!tracked.isEmpty()) {
      return tracked;
    }
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.filter(file -> file.toString().endsWith(".java"))
          .filter(file -> !root.relativize(file).toString().contains("target/"))
          .toList();
    }
  }

  /** Tracked and untracked, unignored Java files; empty when this is no git work tree. */
  private static List<Path> gitFiles(Path root) throws IOException, InterruptedException {
    try {
      Process git =
          new ProcessBuilder("git", "ls-files", "-co", "--exclude-standard", "--", "*.java")
              .directory(root.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String out = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      git.waitFor();
      return out.lines().distinct().map(root::resolve).filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      // git is not installed; the caller walks the tree instead.
      return List.of();
    }
  }

  private static Set<String> readLines(Path file) throws IOException {
    if (!Files.exists(file)) {
      return Set.of();
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines.collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static String hash(String source) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      return HexFormat.of().formatHex(digest.digest(source.getBytes(StandardCharsets.UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
