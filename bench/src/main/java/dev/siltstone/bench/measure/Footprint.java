package dev.siltstone.bench.measure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Stream;

/** What a run takes of the machine: disk and memory. */
public final class Footprint {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");
  private static final long UNKNOWN = -1;

  private Footprint() {}

  /**
   * Bytes that a directory's files take on disk, by allocated blocks where the system has {@code
   * du}, for some engines map files far larger than they fill; else by file length.
   */
  public static long diskBytes(Path directory) {
    try {
      Process du =
          new ProcessBuilder("du", "-sk", directory.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      String out = new String(du.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (du.waitFor() == 0) {
        return Long.parseLong(out.substring(0, out.indexOf('\t'))) << 10;
      }
    } catch (IOException e) {
      return lengthBytes(directory);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return lengthBytes(directory);
  }

  /** Sum of the lengths of a directory's files. Files that vanish meanwhile count nothing. */
  public static long lengthBytes(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.mapToLong(Footprint::length).sum();
    } catch (UncheckedIOException | IOException e) {
      return UNKNOWN;
    }
  }

  private static long length(Path file) {
    try {
      return Files.isRegularFile(file) ? Files.size(file) : 0;
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Begins a new period for {@link #residentPeakBytes}, where the system can. */
  public static void resetResidentPeak() {
    try {
      Files.writeString(CLEAR, "5");
    } catch (IOException e) {
      // Not Linux, or not allowed: the peak then counts from the start of the process.
    }
  }

  /** The largest resident memory of this process in its period, mapped files included; or -1. */
  public static long residentPeakBytes() {
    return ofStatus("VmHWM:");
  }

  /** Resident memory of this process now, mapped files included; or -1. */
  public static long residentBytes() {
    return ofStatus("VmRSS:");
  }

  /** Resident memory of this process now that no file backs: heap, stacks, code; or -1. */
  public static long residentAnonymousBytes() {
    return ofStatus("RssAnon:");
  }

  /** Resident memory of this process now that files back: mapped stores, libraries, jars; or -1. */
  public static long residentFileBytes() {
    return ofStatus("RssFile:");
  }

  private static long ofStatus(String field) {
    try {
      for (String line : Files.readAllLines(STATUS)) {
        if (line.startsWith(field)) {
          String[] parts = line.trim().split("\\s+", -1);
          return Long.parseLong(parts[1]) << 10;
        }
      }
    } catch (IOException e) {
      return UNKNOWN;
    }
    return UNKNOWN;
  }
}
