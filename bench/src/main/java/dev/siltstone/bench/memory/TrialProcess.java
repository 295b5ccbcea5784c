package dev.siltstone.bench.memory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Runs a trial in a JVM with a heap of its own. */
final class TrialProcess {
  private TrialProcess() {}

  /**
   * Runs it to its end.
   *
   * @param directory a folder that belongs to the trial
   * @param jvm arguments of the JVM
   * @param lines takes each line that the trial prints
   * @throws IOException if it failed; the message holds its last words
   */
  static void run(
      Trials trial, Trial.Size size, Path directory, List<String> jvm, Consumer<String> lines)
      throws IOException, InterruptedException {
    Files.createDirectories(directory);
    Path log = directory.resolve("trial.log");
    Process process =
        new ProcessBuilder(command(trial, size, directory.resolve("store"), jvm))
            .redirectError(log.toFile())
            .start();
    String last = "";
    try (BufferedReader reader =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = reader.readLine(); line != null; line = reader.readLine()) {
        lines.accept(line);
        last = line;
      }
    } finally {
      process.destroy();
    }
    int status = process.waitFor();
    if (status != 0 || !last.equals("right")) {
      throw new IOException(
          "%s ended with status %d; its last words:%n%s%n%s"
              .formatted(trial.label(), status, last, Files.readString(log)));
    }
  }

  private static List<String> command(Trials trial, Trial.Size size, Path store, List<String> jvm) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(jvm);
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(MemoryChild.class.getName());
    command.add(trial.label());
    command.add(store.toAbsolutePath().toString());
    command.add(Long.toString(size.entries()));
    command.add(Long.toString(size.seconds()));
    return command;
  }
}
