package dev.siltstone.tools;

import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What a command makes that is missing, and how it is kept. */
final class CreateOptions {
  private static final List<String> COMPRESSIONS = List.of("lz4", "zstd", "none");

  @Option(names = "--create", description = "Make the store and the tree if they are missing.")
  private boolean create;

  @Option(
      names = "--compression",
      paramLabel = "NAME",
      description = {
        "How files of the tree are compressed that are written from now on: lz4, zstd or none."
            + " Kept with the tree. Default: as before; lz4 for a new tree."
      })
  private @Nullable String compression;

  /** Whether store and tree are to be made. */
  boolean isSet() {
    return create;
  }

  /** The compression to be kept with the tree; {@code null} to leave it as it is. */
  @Nullable String compression() {
    if (compression != null && !COMPRESSIONS.contains(compression)) {
      throw CommandException.usage(
          "--compression takes " + String.join(", ", COMPRESSIONS) + ", not '" + compression + "'");
    }
    return compression;
  }
}
