package dev.siltstone.tools;

import java.util.List;

/**
 * Says in commands what the engine says in methods: its messages tell programs which method helps,
 * and a person at the command line has none.
 */
final class ApiWords {
  /** What the engine says, and what it means here. */
  private record Phrase(String method, String command) {}

  private static final List<Phrase> PHRASES =
      List.of(
          new Phrase(" (Db.repair, or 'siltstone repair')", " with 'siltstone repair'"),
          new Phrase(
              "add the module siltstone-zstd, and give its ZstdCompressor to"
                  + " Components.withCompressors",
              "zstd is missing from this build of the command"),
          new Phrase(
              "give it to Components.withCompressors",
              "only a program that brings this compressor can do that"),
          new Phrase(
              "is not among those of Components.withCompactionFilters",
              "is known only to the program that made the tree; this command has"),
          new Phrase(
              "open it with Db.openTree and those", "only the program that made it can write it"),
          new Phrase("; a longer TreeOptions.retention keeps more", ""),
          new Phrase(", and createIfMissing is false", "; pass --create to make one"));

  private ApiWords() {}

  /** The message without words of the API. */
  static String inCommands(String message) {
    String said = message;
    for (Phrase phrase : PHRASES) {
      said = said.replace(phrase.method, phrase.command);
    }
    return said;
  }
}
