package dev.siltstone.tools;

import picocli.CommandLine.Option;

/** Whether a command answers a person or a program. */
final class JsonOptions {
  @Option(names = "--json", description = "Answer in JSON, one value a line.")
  private boolean json;

  boolean isSet() {
    return json;
  }
}
