package dev.siltstone.bench.report;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import org.jspecify.annotations.Nullable;

/**
 * The source checkout that the program runs from.
 *
 * @param root its top folder; the working folder if the program does not run from a checkout
 * @param inside whether there is one
 */
public record Checkout(Path root, boolean inside) {
  private static final String LAUNCHER = "siltstone";

  /** Looks upward from the classes of the program, then from the working folder. */
  public static Checkout find() {
    Path here = Path.of("").toAbsolutePath();
    Path root = above(codeFolder());
    if (root == null) {
      root = above(here);
    }
    return root == null ? new Checkout(here, false) : new Checkout(root, true);
  }

  /** A folder for what may be thrown away: target/, or that of the system. */
  public Path scratch() {
    return inside ? root.resolve("target") : Path.of(System.getProperty("java.io.tmpdir"));
  }

  /** How a person calls the launcher. */
  public String command() {
    return "./" + LAUNCHER;
  }

  private static @Nullable Path codeFolder() {
    CodeSource source = Checkout.class.getProtectionDomain().getCodeSource();
    if (source == null || source.getLocation() == null) {
      return null;
    }
    try {
      return Path.of(new URI(source.getLocation().toString()));
    } catch (URISyntaxException | IllegalArgumentException e) {
      return null;
    }
  }

  private static @Nullable Path above(@Nullable Path start) {
    for (Path folder = start; folder != null; folder = folder.getParent()) {
      if (Files.isRegularFile(folder.resolve(LAUNCHER))
          && Files.isRegularFile(folder.resolve("pom.xml"))) {
        return folder;
      }
    }
    return null;
  }
}
