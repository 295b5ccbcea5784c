package dev.siltstone.house;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The files of the repository as a person sees them: no build outputs, no git, no hidden editors.
 */
final class SourceTree {
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea", ".vscode");
  private static final Set<String> TEXT =
      Set.of("java", "md", "xml", "sh", "args", "yml", "txt", "properties", "g4", "erl", "html");

  private final Path root;

  private SourceTree(Path root) {
    this.root = root;
  }

  /** The repository that the tests run in: the nearest directory above with the launcher in it. */
  static SourceTree find() {
    Path directory = Path.of("").toAbsolutePath();
    while (!Files.isRegularFile(directory.resolve("siltstone"))) {
      directory = directory.getParent();
      if (directory == null) {
        throw new IllegalStateException("no repository above " + Path.of("").toAbsolutePath());
      }
    }
    return new SourceTree(directory);
  }

  /** Where a file is, relative to the repository, with slashes. */
  String name(Path file) {
    return root.relativize(file).toString().replace('\\', '/');
  }

  Path resolve(String name) {
    return root.resolve(name);
  }

  /** Java sources that are shipped: those below {@code src/main}. */
  List<Path> mainSources() throws IOException {
    return files(name -> name.contains("/src/main/java/") && name.endsWith(".java"));
  }

  /** All Java sources, those of tests and of the build included. */
  List<Path> javaSources() throws IOException {
    return files(name -> name.endsWith(".java"));
  }

  /** Every file that people read as text. */
  List<Path> texts() throws IOException {
    return files(
        name -> {
          String file = name.substring(name.lastIndexOf('/') + 1);
          int dot = file.lastIndexOf('.');
          return dot <= 0 || TEXT.contains(file.substring(dot + 1));
        });
  }

  List<Path> markdown() throws IOException {
    return files(name -> name.endsWith(".md"));
  }

  static String read(Path file) throws IOException {
    return new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
  }

  private List<Path> files(Predicate<String> wanted) throws IOException {
    try (Stream<Path> walk = Files.walk(root)) {
      return walk.filter(file -> !isSkipped(file))
          .filter(Files::isRegularFile)
          .filter(file -> wanted.test(name(file)))
          .sorted()
          .toList();
    }
  }

  private boolean isSkipped(Path file) {
    for (Path part : root.relativize(file)) {
      if (SKIPPED.contains(part.toString())) {
        return true;
      }
    }
    return false;
  }
}
