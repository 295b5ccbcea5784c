package dev.siltstone.bench.report;

import dev.siltstone.base.time.Clock;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a figure depends on besides the program: the machine, the system, the JVM, the day. */
public final class Machine {
  private static final Path CPU_INFO = Path.of("/proc/cpuinfo");
  private static final Path MEMORY_INFO = Path.of("/proc/meminfo");
  private static final Path LOAD = Path.of("/proc/loadavg");
  private static final String UNKNOWN = "not known";

  private Machine() {}

  /**
   * The facts, by name, in order of reading.
   *
   * @param directory where the stores lie; its disk is described
   */
  public static Map<String, String> facts(Path directory, Clock clock) {
    Map<String, String> facts = new LinkedHashMap<>();
    Runtime runtime = Runtime.getRuntime();
    facts.put("siltstone", Build.version());
    facts.put("processor", field(CPU_INFO, "model name", System.getProperty("os.arch")));
    facts.put("cores", Integer.toString(runtime.availableProcessors()));
    facts.put("memory", memory());
    facts.put("disk", disk(directory));
    facts.put("system", System.getProperty("os.name") + " " + System.getProperty("os.version"));
    facts.put("load before", load());
    facts.put(
        "JDK",
        System.getProperty("java.vm.name")
            + " "
            + System.getProperty("java.vm.version")
            + " ("
            + System.getProperty("java.vendor")
            + ")");
    List<String> flags = ManagementFactory.getRuntimeMXBean().getInputArguments();
    facts.put("JVM flags", flags.isEmpty() ? "none" : String.join(" ", flags));
    facts.put("heap at most", Units.bytes(runtime.maxMemory()) + ", " + collector());
    facts.put("date", date(clock));
    return facts;
  }

  /** Memory of the machine in bytes. */
  public static long memoryBytes() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : Runtime.getRuntime().maxMemory();
  }

  private static String memory() {
    String available = field(MEMORY_INFO, "MemAvailable", "");
    String suffix =
        available.endsWith(" kB")
            ? ", "
                + Units.bytes(Long.parseLong(available.replace(" kB", "").trim()) << 10)
                + " of it free"
            : "";
    return Units.bytes(memoryBytes()) + suffix;
  }

  private static String disk(Path directory) {
    try {
      FileStore store = Files.getFileStore(directory);
      return store.type()
          + " on "
          + store.name()
          + ", "
          + Units.bytes(store.getTotalSpace())
          + ", "
          + Units.bytes(store.getUsableSpace())
          + " free";
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private static String load() {
    try {
      return Files.readString(LOAD).trim().split(" ", -1)[0] + " (mean of one minute)";
    } catch (IOException e) {
      return UNKNOWN;
    }
  }

  private static String collector() {
    return String.join(
        ", ",
        ManagementFactory.getGarbageCollectorMXBeans().stream()
            .map(bean -> bean.getName())
            .toList());
  }

  private static String date(Clock clock) {
    Instant now = Instant.ofEpochSecond(clock.wallMicros() / 1_000_000);
    return DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm 'UTC'")
        .withZone(ZoneOffset.UTC)
        .format(now);
  }

  private static String field(Path file, String name, String otherwise) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .filter(line -> line.startsWith(name))
          .findFirst()
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .orElse(otherwise);
    } catch (IOException e) {
      return otherwise;
    }
  }
}
