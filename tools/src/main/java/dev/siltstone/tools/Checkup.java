package dev.siltstone.tools;

import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.base.time.Clock;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.Snapshot;
import dev.siltstone.engine.Verification;
import dev.siltstone.engine.VerifyOptions;
import dev.siltstone.engine.version.VersionSet;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The checks of the doctor. They write nothing but one temporary file, which is removed again. */
final class Checkup {
  private static final int SYNCS = 40;
  private static final int SYNC_BYTES = 4096;

  /** No device that keeps data through a power loss is faster (NVMe with capacitors: 15 us). */
  private static final long SYNC_NANOS_MIN = 5_000;

  /** Slower than a disk that turns. */
  private static final long SYNC_NANOS_MAX = 30_000_000;

  private static final long HEAP_BYTES_MIN = 128L << 20;
  private static final long FREE_BYTES_MIN = 1L << 30;

  private static final Set<String> REMOTE =
      Set.of("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs");
  private static final Set<String> COPY_ON_WRITE = Set.of("btrfs", "zfs", "bcachefs", "nilfs2");
  private static final Set<String> IN_MEMORY = Set.of("tmpfs", "ramfs");

  /** When this was written; a clock behind it is wrong. */
  private static final Instant CLOCK_MIN = Instant.parse("2025-01-01T00:00:00Z");

  private static final Instant CLOCK_MAX = Instant.parse("2100-01-01T00:00:00Z");

  /** Clocks of machines that are set by network differ less. */
  private static final Duration AHEAD_MAX = Duration.ofSeconds(1);

  private static final Pattern PROCESS = Pattern.compile("process (\\d{1,18})");

  private final Path directory;
  private final Clock clock;
  private final boolean quick;
  private final List<Finding> findings = new ArrayList<>();

  /**
   * The checks of one place.
   *
   * @param quick whether to leave out reading all files of the store
   */
  Checkup(Path directory, Clock clock, boolean quick) {
    this.directory = directory.toAbsolutePath().normalize();
    this.clock = clock;
    this.quick = quick;
  }

  List<Finding> run() throws IOException {
    checkMachine();
    Path place = existing(directory);
    checkFileSystem(place);
    checkSyncs(place);
    checkSpace(place);
    checkClock();
    checkStore();
    return List.copyOf(findings);
  }

  private void checkMachine() {
    Runtime.Version java = Runtime.version();
    findings.add(Finding.ok("java", java.toString()));
    long heap = Runtime.getRuntime().maxMemory();
    String memory =
        Units.bytes(heap)
            + ", "
            + Units.bytes(Options.DEFAULT.memoryBytes())
            + " of it for a store by default";
    findings.add(
        heap < HEAP_BYTES_MIN
            ? Finding.warn("heap", memory, "give it more with -Xmx")
            : Finding.ok("heap", memory));
    int cores = Runtime.getRuntime().availableProcessors();
    findings.add(
        cores < 2
            ? Finding.warn("cores", "1", "flushes and compactions will take time from writers")
            : Finding.ok("cores", Integer.toString(cores)));
  }

  private void checkFileSystem(Path place) throws IOException {
    FileStore fileStore = Files.getFileStore(place);
    String type = fileStore.type();
    String found = type + " at " + place;
    if (REMOTE.contains(type)) {
      findings.add(
          Finding.warn(
              "file system",
              found,
              "on another machine: locks and syncs may not hold; use a local disk"));
    } else if (IN_MEMORY.contains(type)) {
      findings.add(Finding.warn("file system", found, "in memory: nothing survives a restart"));
    } else if (COPY_ON_WRITE.contains(type)) {
      findings.add(
          Finding.warn(
              "file system",
              found,
              "copies on write: the log is written, not mapped, which costs a system call a"
                  + " commit"));
    } else {
      findings.add(Finding.ok("file system", found));
    }
  }

  private void checkSyncs(Path place) {
    OsFileSystem fileSystem = new OsFileSystem();
    long[] nanos = new long[SYNCS];
    try {
      Path file = Files.createTempFile(place, "siltstone-doctor-", "");
      try (WritableFile output = fileSystem.create(file)) {
        for (int i = 0; i < SYNCS; i++) {
          output.write(new byte[SYNC_BYTES], 0, SYNC_BYTES);
          long start = clock.nanoTime();
          output.sync();
          nanos[i] = clock.nanoTime() - start;
        }
      } finally {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      findings.add(
          Finding.fail(
              "writing", e.toString(), "a store here can be read at best; see permissions"));
      return;
    }
    Arrays.sort(nanos);
    long median = nanos[SYNCS / 2];
    String found =
        "median "
            + Units.nanos(median)
            + ", worst "
            + Units.nanos(nanos[SYNCS - 1])
            + " of "
            + SYNCS;
    if (median < SYNC_NANOS_MIN) {
      findings.add(
          Finding.warn("sync", found, "too fast to be true: a power loss may take synced data"));
    } else if (median > SYNC_NANOS_MAX) {
      findings.add(
          Finding.warn(
              "sync", found, "slow: prefer buffered or periodic durability, or another disk"));
    } else {
      findings.add(Finding.ok("sync", found));
    }
  }

  private void checkSpace(Path place) throws IOException {
    long free = Files.getFileStore(place).getUsableSpace();
    long used = Files.isDirectory(directory) ? StoreFiles.in(directory).bytes() : 0;
    String found = Units.bytes(free) + " free, " + Units.bytes(used) + " used by the store";
    findings.add(
        free < Math.max(FREE_BYTES_MIN, used)
            ? Finding.warn(
                "space", found, "a full compaction may need as much again as the store takes")
            : Finding.ok("space", found));
  }

  private void checkClock() {
    Instant now = now();
    boolean isSane = now.isAfter(CLOCK_MIN) && now.isBefore(CLOCK_MAX);
    findings.add(
        isSane
            ? Finding.ok("clock", now.truncatedTo(ChronoUnit.SECONDS).toString())
            : Finding.fail("clock", now.toString(), "set the clock: times of writes come from it"));
  }

  private void checkStore() throws IOException {
    if (!Files.isDirectory(directory)) {
      findings.add(Finding.ok("store", "none yet: " + directory + " does not exist"));
      return;
    }
    try {
      if (!VersionSet.exists(new OsFileSystem(), directory)) {
        findings.add(Finding.ok("store", "none yet in " + directory));
        return;
      }
      try (Db db = Db.openReadOnly(directory, Options.DEFAULT, StoreOptions.COMPONENTS);
          Snapshot snapshot = db.snapshot()) {
        findings.add(
            Finding.ok("store", "opens; " + Units.count(db.treeNames().size(), "tree", "trees")));
        checkNewestWrite(snapshot.time());
      }
    } catch (DbException | IOException e) {
      findings.add(Finding.fail("store", String.valueOf(e.getMessage()), "see 'siltstone verify'"));
    }
    checkFiles();
    checkOwner();
  }

  private void checkFiles() {
    if (quick) {
      return;
    }
    try {
      Verification found = Db.verify(directory, StoreOptions.COMPONENTS, VerifyOptions.DEFAULT);
      findings.add(
          found.isSound()
              ? Finding.ok("files", "sound; " + Units.bytes(found.bytes()) + " read")
              : Finding.fail(
                  "files",
                  VerifyCommand.verdict(found)
                      + ", the first: "
                      + (found.problems().isEmpty()
                          ? found.unchecked().getFirst()
                          : found.problems().getFirst()),
                  "see 'siltstone verify'"));
    } catch (DbException e) {
      findings.add(Finding.fail("files", String.valueOf(e.getMessage()), "see the cause"));
    }
  }

  private void checkNewestWrite(Instant newest) {
    Duration ahead = Duration.between(now(), newest);
    String found = newest.truncatedTo(ChronoUnit.MILLIS).toString();
    findings.add(
        ahead.compareTo(AHEAD_MAX) > 0
            ? Finding.warn(
                "newest write",
                found + ", " + Units.nanos(ahead.toNanos()) + " ahead of the clock",
                "the clock was set back: expiry and time travel are off by as much")
            : Finding.ok("newest write", found));
  }

  private void checkOwner() throws IOException {
    String owner = StoreFiles.owner(directory);
    if (owner == null) {
      findings.add(Finding.ok("open elsewhere", "no"));
      return;
    }
    Matcher process = PROCESS.matcher(owner);
    boolean isGone = process.find() && ProcessHandle.of(Long.parseLong(process.group(1))).isEmpty();
    findings.add(
        isGone
            ? Finding.ok("open elsewhere", "no; " + owner + " did not close it, which does no harm")
            : Finding.ok("open elsewhere", "yes, for writing by " + owner));
  }

  private Instant now() {
    return Instant.EPOCH.plus(clock.wallMicros(), ChronoUnit.MICROS);
  }

  /** The directory, or the nearest one above it that exists. */
  private static Path existing(Path directory) {
    Path place = directory;
    while (!Files.isDirectory(place)) {
      Path parent = place.getParent();
      if (parent == null) {
        throw new CommandException("no directory above " + directory);
      }
      place = parent;
    }
    return place;
  }
}
