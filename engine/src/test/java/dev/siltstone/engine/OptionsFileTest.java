package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.engine.spi.CompactionFilter;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.testkit.disk.DiskOperation;
import dev.siltstone.testkit.disk.Fault;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/**
 * Goal: after each open for writing there is one file that tells the options of that open, and a
 * store opens without it if it cannot be written. Method: a simulated disk; the text is that of the
 * page; every operation on the file fails once.
 */
final class OptionsFileTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final Path PAGE = Path.of("../docs/format/options.md");
  private static final Options OPTIONS =
      Options.builder()
          .memoryBytes(64 << 20)
          .maxOpenFiles(512)
          .compactionThreads(2)
          .durability(Durability.PERIODIC)
          .build();

  private final Simulation machine = Simulation.of(new Seed(1));
  private final FaultFileSystem disk = new FaultFileSystem(machine.fileSystem());
  private final List<String> told = new ArrayList<>();

  @Test
  void theTextIsThatOfThePage() throws IOException {
    Db db = open(OPTIONS);
    db.openTree(
        "say \"\\\"\n",
        TreeOptions.DEFAULT.withRetention(Duration.ofMinutes(15)).withCompactionFilter("expiry"));
    db.close();
    open(OPTIONS).close();
    String page = Files.readString(PAGE);
    int start = page.lastIndexOf("```\n# Options") + 4;
    assertThat(text()).isEqualTo(page.substring(start, page.indexOf("```", start)));
  }

  @Test
  void eachOpenReplacesTheFileAndReadingWritesNone() throws IOException {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      open(OPTIONS).close();
      names.add(only());
    }
    assertThat(names).doesNotHaveDuplicates().isSorted();
    Db.openReadOnly(DIRECTORY, OPTIONS, components()).close();
    assertThat(only()).isEqualTo(names.getLast());
    Db.destroy(DIRECTORY, components());
    assertThat(disk.exists(DIRECTORY)).isFalse();
  }

  @Test
  void aStoreOpensIfTheFileCannotBeWritten() throws IOException {
    open(OPTIONS).close();
    for (DiskOperation operation :
        List.of(
            DiskOperation.CREATE, DiskOperation.WRITE, DiskOperation.SYNC, DiskOperation.RENAME)) {
      // Other files are made under such a name too, and without them no store opens.
      for (long at = 0; told.isEmpty(); at++) {
        assertThat(at).as("operations on temporary files of an open").isLessThan(10);
        opensUnlessAnotherFileFails(operation, at);
      }
      told.clear();
    }
    String last = only();
    open(OPTIONS).close();
    assertThat(only()).isNotEqualTo(last);
    assertThat(disk.list(DIRECTORY)).noneMatch(name -> name.endsWith(".tmp"));
  }

  private void opensUnlessAnotherFileFails(DiskOperation operation, long at) throws IOException {
    String before = only();
    disk.add(
        Fault.on(operation).name(".*\\.tmp").at(at).failing(() -> new IOException("injected")));
    try (Db db = open(OPTIONS)) {
      db.put(new byte[] {1}, new byte[] {2});
      db.awaitQuiet();
      if (!told.isEmpty()) {
        assertThat(told).singleElement().asString().startsWith("writing OPTIONS-");
        assertThat(only()).as("the older one stays").isEqualTo(before);
      }
    } catch (DbException.Unavailable e) {
      assertThat(told).isEmpty();
    }
    disk.clear();
  }

  private String text() throws IOException {
    return new String(machine.fileSystem().bytes(DIRECTORY.resolve(only())), UTF_8)
        .replace(" \n", "\n");
  }

  /** The name of the one options file. */
  private String only() throws IOException {
    List<String> names =
        disk.list(DIRECTORY).stream().filter(name -> name.startsWith("OPTIONS-")).toList();
    assertThat(names).hasSize(1);
    return names.getFirst();
  }

  private Db open(Options options) {
    return Db.open(DIRECTORY, options, components());
  }

  private Components components() {
    LongSupplier ids = () -> 0x1122334455667788L;
    CompactionFilter.Factory factory = _ -> null;
    return Components.DEFAULT
        .withFileSystem(disk)
        .withClock(machine.clock())
        .withScheduler(machine.scheduler())
        .withRandom(ids)
        .withCompactionFilters(Map.of("expiry", factory, "rows", factory))
        .withListener(
            new EventListener() {
              @Override
              public void retrying(String job, Throwable cause) {
                told.add(job);
              }
            });
  }
}
