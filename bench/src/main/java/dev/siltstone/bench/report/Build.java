package dev.siltstone.bench.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.IVersionProvider;

/** What was built. */
public final class Build {
  private static final String UNKNOWN = "version not known";

  private Build() {}

  /** Tells the command line. */
  public static final class Version implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"siltstone " + version(), "Java " + Runtime.version()};
    }
  }

  /** The version of the build, and the commit where the program runs from a checkout. */
  public static String version() {
    String version = UNKNOWN;
    try (InputStream in = Build.class.getResourceAsStream("/report/version.txt")) {
      if (in != null) {
        version = new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
      }
    } catch (IOException e) {
      return UNKNOWN;
    }
    String commit = commit();
    return commit.isEmpty() ? version : version + ", commit " + commit;
  }

  private static String commit() {
    Checkout checkout = Checkout.find();
    if (!checkout.inside()) {
      return "";
    }
    try {
      Process git =
          new ProcessBuilder("git", "describe", "--always", "--dirty")
              .directory(checkout.root().toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String out = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return git.waitFor() == 0 ? out.strip() : "";
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
