package dev.siltstone.base.io;

// Goal: what only the real file system can get wrong: modes, handles, interrupts, locks between
// processes, mapped pages.
// Method: real files in a temporary directory; a child JVM for the locks. What every file system
// must do is in FileSystemContract.

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URISyntaxException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OsFileSystemTest {
  @TempDir Path directory;

  private final OsFileSystem fileSystem = new OsFileSystem();

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void newFilesAndDirectoriesAreTheOwnersAlone() throws Exception {
    Path deep = directory.resolve("a/b");
    fileSystem.createDirectories(deep);
    fileSystem.create(deep.resolve("written")).close();
    fileSystem.map(deep.resolve("mapped"), 10).close();
    fileSystem.lock(deep.resolve("LOCK"), "me").close();

    assertThat(mode(directory.resolve("a"))).isEqualTo("rwx------");
    assertThat(mode(deep)).isEqualTo("rwx------");
    for (String name : fileSystem.list(deep)) {
      assertThat(mode(deep.resolve(name))).as(name).isEqualTo("rw-------");
    }
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void recreatedFileBecomesTheOwnersAlone() throws Exception {
    Path file = directory.resolve("f");
    Files.writeString(file, "old");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));

    fileSystem.create(file).close();

    assertThat(mode(file)).isEqualTo("rw-------");
    assertThat(fileSystem.size(file)).isZero();
  }

  private static String mode(Path file) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(file));
  }

  @Test
  void handlesForReadingStayWithinTheBound() throws Exception {
    OsFileSystem few = new OsFileSystem(3);
    List<ReadableFile> files = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Path file = directory.resolve("f" + i);
      Files.write(file, numbered(i));
      files.add(few.open(file));
      assertThat(few.openHandles()).isLessThanOrEqualTo(3);
    }
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < files.size(); i++) {
        assertThat(readAll(files.get(i))).isEqualTo(numbered(i));
        assertThat(few.openHandles()).isLessThanOrEqualTo(3);
      }
    }
    for (ReadableFile file : files) {
      file.close();
      file.close();
    }
    assertThat(few.openHandles()).isZero();
  }

  @Test
  void filesThatAreReadOftenKeepTheirHandles() throws Exception {
    OsFileSystem few = new OsFileSystem(3);
    Files.write(directory.resolve("hot"), numbered(1));
    Files.write(directory.resolve("cold"), numbered(2));
    ReadableFile hot = few.open(directory.resolve("hot"));
    readAll(hot);
    for (int i = 0; i < 20; i++) {
      readAll(hot);
      few.open(directory.resolve("cold"));
    }
    // A handle that was kept can still be read when the name is gone.
    Files.delete(directory.resolve("hot"));

    assertThat(readAll(hot)).isEqualTo(numbered(1));
  }

  @Test
  void manyThreadsShareFewHandles() throws Exception {
    OsFileSystem few = new OsFileSystem(2);
    List<ReadableFile> files = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Files.write(directory.resolve("f" + i), numbered(i));
      files.add(few.open(directory.resolve("f" + i)));
    }
    inThreads(
        6,
        thread -> {
          SplittableRandom random = new SplittableRandom(thread);
          for (int i = 0; i < 500; i++) {
            int file = random.nextInt(files.size());
            assertThat(readAll(files.get(file))).isEqualTo(numbered(file));
          }
        });
    assertThat(few.openHandles()).isLessThanOrEqualTo(2);
  }

  @Test
  void interruptsNeitherFailReadsNorGetLost() throws Exception {
    Path file = directory.resolve("f");
    Files.write(file, numbered(7));
    ReadableFile readable = fileSystem.open(file);
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> readers = new ArrayList<>();
    Thread storm =
        Thread.ofPlatform()
            .unstarted(
                () -> {
                  SplittableRandom random = new SplittableRandom(1);
                  while (!done.get()) {
                    readers.get(random.nextInt(readers.size())).interrupt();
                    Thread.onSpinWait();
                  }
                });
    List<Throwable> failures = new ArrayList<>();
    int[] interrupts = new int[4];
    for (int i = 0; i < interrupts.length; i++) {
      int reader = i;
      readers.add(
          Thread.ofPlatform()
              .uncaughtExceptionHandler(
                  (_, e) -> {
                    synchronized (failures) {
                      failures.add(e);
                    }
                  })
              .unstarted(
                  () -> {
                    for (int read = 0; read < 2000; read++) {
                      assertThat(readAllUnchecked(readable)).isEqualTo(numbered(7));
                      if (Thread.interrupted()) {
                        interrupts[reader]++;
                      }
                    }
                  }));
    }
    readers.forEach(Thread::start);
    storm.start();
    for (Thread reader : readers) {
      reader.join();
    }
    done.set(true);
    storm.join();

    assertThat(failures).isEmpty();
    assertThat(Arrays.stream(interrupts).sum()).isPositive();
    assertThat(fileSystem.openHandles()).isEqualTo(1);
  }

  @Test
  void interruptedThreadCanDoEverything() throws Exception {
    Path file = directory.resolve("f");
    Thread.currentThread().interrupt();
    try (WritableFile output = fileSystem.create(file)) {
      output.write(numbered(1), 0, 100);
      output.sync();
      output.write(numbered(1), 100, 900);
      output.sync();
    }
    fileSystem.syncDirectory(directory);
    try (MappedFile mapped = fileSystem.map(directory.resolve("m"), 4096)) {
      mapped.write(0, numbered(2), 0, 1000);
      mapped.force(0, 1000);
    }
    try (FileLock lock = fileSystem.lock(directory.resolve("LOCK"), "me")) {
      assertThat(lock).isNotNull();
    }
    byte[] read = readAll(fileSystem.open(file));

    assertThat(Thread.interrupted()).isTrue();
    assertThat(read).isEqualTo(numbered(1));
  }

  @Test
  void syncsGoOnAfterAnInterruptHasHitOne() throws Exception {
    try (WritableFile output = fileSystem.create(directory.resolve("f"))) {
      AtomicBoolean done = new AtomicBoolean();
      Thread writer = Thread.currentThread();
      Thread storm =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!done.get()) {
                      writer.interrupt();
                    }
                  });
      for (int i = 0; i < 50; i++) {
        output.write(numbered(3), i * 20, 20);
        output.sync();
      }
      done.set(true);
      while (storm.isAlive()) {
        Thread.onSpinWait();
      }
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(Files.readAllBytes(directory.resolve("f"))).isEqualTo(numbered(3));
  }

  @Test
  void closedReadableFileFailsWithIoException() throws Exception {
    Files.write(directory.resolve("f"), numbered(0));
    ReadableFile file = fileSystem.open(directory.resolve("f"));
    file.close();

    assertThatThrownBy(() -> readAll(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void readingLargerThanOneChunkIsWhole() throws Exception {
    byte[] bytes = new byte[3_000_000];
    new SplittableRandom(5).nextBytes(bytes);
    Files.write(directory.resolve("f"), bytes);

    assertThat(readAll(fileSystem.open(directory.resolve("f")))).isEqualTo(bytes);
  }

  @Test
  void mappedFileIsNeverSparse() throws Exception {
    Path file = directory.resolve("m");
    try (MappedFile mapped = fileSystem.map(file, 5_000_000)) {
      assertThat(mapped.size()).isEqualTo(5_000_000);
    }
    assertThat((long) Files.getAttribute(file, "unix:size")).isEqualTo(5_000_000);
    Process du =
        new ProcessBuilder("du", "--block-size=1", file.toString())
            .redirectErrorStream(true)
            .start();
    String allocated = new String(du.getInputStream().readAllBytes(), UTF_8);
    assertThat(Long.parseLong(allocated.split("\\s")[0])).isGreaterThanOrEqualTo(5_000_000);
  }

  @Test
  void storeIntoAPageThatIsGoneFailsWithIoException() throws Exception {
    Path file = directory.resolve("m");
    try (MappedFile mapped = fileSystem.map(file, 1 << 20)) {
      try (RandomAccessFile cut = new RandomAccessFile(file.toFile(), "rw")) {
        cut.setLength(0);
      }
      assertThatThrownBy(() -> mapped.write(500_000, numbered(1), 0, 1000))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("mapped page");
    }
  }

  @Test
  void closedMappedFileFailsWithIoException() throws Exception {
    MappedFile mapped = fileSystem.map(directory.resolve("m"), 100);
    mapped.close();
    mapped.close();

    assertThatThrownBy(() -> mapped.write(0, numbered(1), 0, 10)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> mapped.force(0, 10)).isInstanceOf(IOException.class);
  }

  @Test
  void lockExcludesOtherProcessesUntilClosed() throws Exception {
    Path lock = directory.resolve("LOCK");
    FileLock held = fileSystem.lock(lock, "pid 1 of this test");

    assertThat(lockInChild(lock)).contains("refused").contains("pid 1 of this test");
    held.close();
    assertThat(lockInChild(lock)).contains("locked");
    fileSystem.lock(lock, "again").close();
  }

  @Test
  void secondLockInThisProcessIsRefusedAndLeavesTheFirstAlone() throws Exception {
    Path lock = directory.resolve("LOCK");
    try (FileLock held = fileSystem.lock(lock, "the first")) {
      assertThat(held).isNotNull();
      // By another file system and another path of the same file, too.
      Path other = directory.resolve("x/../LOCK");
      fileSystem.createDirectories(directory.resolve("x"));
      for (Path path : List.of(lock, other)) {
        assertThatThrownBy(() -> new OsFileSystem().lock(path, "the second"))
            .isInstanceOf(LockedException.class)
            .hasMessageContaining("the first");
      }
      assertThat(lockInChild(lock)).contains("refused");
    }
  }

  @Test
  void lockThatTheRegisterDoesNotKnowIsNotDroppedByTheRefused() throws Exception {
    // The hard link has another real path, like a second mount, so only the JDK knows the lock.
    Path lock = directory.resolve("LOCK");
    Path alias = directory.resolve("ALIAS");
    try (FileLock held = fileSystem.lock(lock, "the first")) {
      assertThat(held).isNotNull();
      Files.createLink(alias, lock);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> fileSystem.lock(alias, "the second"))
            .isInstanceOfSatisfying(
                LockedException.class, e -> assertThat(e.isInThisProcess()).isTrue());
      }
      assertThat(lockInChild(lock)).contains("refused");
    }
  }

  @Test
  void aSymbolicLinkIsOneWhateverItLeadsTo() throws Exception {
    Path link = directory.resolve("link");
    Path target = directory.resolve("target");
    Files.createSymbolicLink(link, target);
    assertThat(fileSystem.isSymbolicLink(link)).isTrue();
    assertThat(fileSystem.exists(link)).isFalse();
    fileSystem.createDirectories(target);
    assertThat(fileSystem.isSymbolicLink(link)).isTrue();
    assertThat(fileSystem.isSymbolicLink(target)).isFalse();
    assertThat(fileSystem.exists(link)).isTrue();
    fileSystem.remove(link);
    assertThat(fileSystem.isSymbolicLink(link)).isFalse();
    assertThat(target).isDirectory();
  }

  @Test
  void lockDiesWithItsProcess() throws Exception {
    Path lock = directory.resolve("LOCK");
    Process child = startChild(lock, "hold");
    try (BufferedReader output = child.inputReader(UTF_8)) {
      assertThat(output.readLine()).contains("locked");
      assertThatThrownBy(() -> fileSystem.lock(lock, "me"))
          .isInstanceOfSatisfying(
              LockedException.class, e -> assertThat(e.isInThisProcess()).isFalse())
          .hasMessageContaining("a child");
      child.destroyForcibly().waitFor();
    }
    fileSystem.lock(lock, "me").close();
  }

  @Test
  @DisabledOnOs(OS.WINDOWS)
  void processOutOfHandlesGoesOnWithThoseItHas() throws Exception {
    String java = "'" + String.join("' '", childCommand(directory.resolve("LOCK"), "many")) + "'";
    Process child =
        new ProcessBuilder("sh", "-c", "ulimit -n 60 && exec " + java)
            .redirectErrorStream(true)
            .start();

    assertThat(new String(child.getInputStream().readAllBytes(), UTF_8)).contains("read 150");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void fullDiskFailsWithNoSpaceAndLeavesSizeWhereItWas() throws Exception {
    Path full = Path.of("/dev/full");
    FileChannel syncer = FileChannel.open(full, StandardOpenOption.WRITE);
    RandomAccessFile output = new RandomAccessFile(full.toFile(), "rw");
    try (WritableFile file = new OsWritableFile(fileSystem, full, output, syncer)) {
      assertThatThrownBy(() -> file.write(numbered(1), 0, 10))
          .isInstanceOf(NoSpaceException.class)
          .hasMessageContaining("/dev/full");
      assertThat(file.size()).isZero();
    }
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void smallDiskIsFullForWritesAndMaps() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    // Only root may mount; for others the test above must do.
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small.toString())
            .redirectErrorStream(true)
            .start();
    mount.getInputStream().readAllBytes();
    assumeTrue(mount.waitFor() == 0, "may not mount");
    try {
      assertThatThrownBy(() -> fileSystem.map(small.resolve("m"), 2 << 20))
          .isInstanceOf(NoSpaceException.class);
      assertThat(fileSystem.size(small.resolve("m"))).isZero();
      assertThat(fileSystem.usableBytes(small)).isEqualTo(1 << 20);
      try (WritableFile file = fileSystem.create(small.resolve("w"))) {
        byte[] bytes = new byte[700_000];
        file.write(bytes, 0, bytes.length);
        assertThatThrownBy(() -> file.write(bytes, 0, bytes.length))
            .isInstanceOf(NoSpaceException.class);
        assertThat(file.size()).isEqualTo(700_000);
        file.sync();
      }
    } finally {
      new ProcessBuilder("umount", small.toString()).start().waitFor();
    }
  }

  private static String lockInChild(Path lock) throws Exception {
    Process child = startChild(lock, "try");
    String output = new String(child.getInputStream().readAllBytes(), UTF_8);
    child.waitFor();
    return output;
  }

  private static Process startChild(Path lock, String mode) throws Exception {
    return new ProcessBuilder(childCommand(lock, mode)).redirectErrorStream(true).start();
  }

  private static List<String> childCommand(Path lock, String mode) throws Exception {
    String separator = System.getProperty("path.separator");
    return List.of(
        ProcessHandle.current().info().command().orElseThrow(),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        location(OsFileSystem.class) + separator + location(Child.class),
        Child.class.getName(),
        lock.toString(),
        mode);
  }

  private static Path location(Class<?> type) throws URISyntaxException {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** Another process; "try" or "hold" a lock, or have "many" files open. */
  static final class Child {
    private Child() {}

    public static void main(String[] args) throws IOException {
      Path file = Path.of(args[0]);
      if (args[1].equals("many")) {
        openMany(file);
        return;
      }
      try (FileLock lock = new OsFileSystem().lock(file, "a child")) {
        System.out.println("locked " + (lock != null));
        if (args[1].equals("hold")) {
          System.in.read();
        }
      } catch (LockedException e) {
        System.out.println("refused: " + e.getMessage());
      }
    }

    private static void openMany(Path file) throws IOException {
      OsFileSystem fileSystem = new OsFileSystem();
      List<ReadableFile> files = new ArrayList<>();
      int read = 0;
      for (int i = 0; i < 150; i++) {
        Path one = file.resolveSibling("f" + i);
        try (WritableFile output = fileSystem.create(one)) {
          output.write(new byte[] {(byte) i}, 0, 1);
        }
        files.add(fileSystem.open(one));
      }
      for (int i = 0; i < files.size(); i++) {
        byte[] bytes = new byte[1];
        read += files.get(i).read(0, bytes, 0, 1) == 1 && bytes[0] == (byte) i ? 1 : 0;
      }
      System.out.println("read " + read);
    }
  }

  @Test
  void errorsOfTheSystemGetTheirTypes() {
    Path file = Path.of("f");
    assertThat(OsErrors.translate(file, new IOException("No space left on device")))
        .isInstanceOf(NoSpaceException.class)
        .hasMessageContaining("f: No space");
    assertThat(OsErrors.translate(file, new FileSystemException("f", null, "Disk quota exceeded")))
        .isInstanceOf(NoSpaceException.class);
    assertThat(OsErrors.translate(file, new FileSystemException("f", null, "Too many open files")))
        .isInstanceOf(TooManyFilesException.class);
    assertThat(OsErrors.translate(file, new IOException("Too many open files in system")))
        .isInstanceOf(TooManyFilesException.class);
    assertThat(OsErrors.translate(file, new IOException("Input/output error")))
        .isExactlyInstanceOf(IOException.class)
        .hasMessage("f: Input/output error");
  }

  @Test
  void fullDiskIsToldByTheSpaceThatIsLeft() throws Exception {
    Path file = directory.resolve("f");
    Files.write(file, numbered(0));

    assertThat(fileSystem.translateWrite(file, new IOException("Kein Platz"), Long.MAX_VALUE))
        .isInstanceOf(NoSpaceException.class);
    assertThat(fileSystem.translateWrite(file, new IOException("Kaputt"), 1))
        .isExactlyInstanceOf(IOException.class);
  }

  private static byte[] numbered(int number) {
    byte[] bytes = new byte[1000];
    new SplittableRandom(number).nextBytes(bytes);
    return bytes;
  }

  private static byte[] readAll(ReadableFile file) throws IOException {
    byte[] bytes = new byte[(int) file.size()];
    assertThat(file.read(0, bytes, 0, bytes.length)).isEqualTo(bytes.length);
    return bytes;
  }

  private static byte[] readAllUnchecked(ReadableFile file) {
    try {
      return readAll(file);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private interface Work {
    void run(int thread) throws Exception;
  }

  private static void inThreads(int count, Work work) throws Exception {
    try (ExecutorService threads = Executors.newFixedThreadPool(count)) {
      List<Callable<Void>> calls = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        int thread = i;
        calls.add(
            () -> {
              work.run(thread);
              return null;
            });
      }
      for (Future<Void> future : threads.invokeAll(calls)) {
        future.get();
      }
    }
  }
}
