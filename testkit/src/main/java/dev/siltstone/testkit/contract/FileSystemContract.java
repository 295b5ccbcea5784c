package dev.siltstone.testkit.contract;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileLock;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.LockedException;
import dev.siltstone.base.io.MappedFile;
import dev.siltstone.base.io.ReadableFile;
import dev.siltstone.base.io.WritableFile;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** What a {@link FileSystem} does while nothing fails. */
public abstract class FileSystemContract {

  /** For subclasses. */
  protected FileSystemContract() {}

  /** The file system under test; the same one during a test. */
  protected abstract FileSystem fileSystem();

  /** An existing, empty directory. */
  protected abstract Path directory();

  private Path path(String name) {
    return directory().resolve(name);
  }

  private void write(Path file, String text) throws IOException {
    try (WritableFile output = fileSystem().create(file)) {
      byte[] bytes = text.getBytes(UTF_8);
      output.write(bytes, 0, bytes.length);
    }
  }

  private String read(Path file) throws IOException {
    try (ReadableFile input = fileSystem().open(file)) {
      byte[] bytes = new byte[(int) input.size()];
      assertThat(input.read(0, bytes, 0, bytes.length)).isEqualTo(bytes.length);
      return new String(bytes, UTF_8);
    }
  }

  @Test
  void writtenBytesAreRead() throws Exception {
    byte[] bytes = new byte[200_000];
    new SplittableRandom(1).nextBytes(bytes);
    try (WritableFile output = fileSystem().create(path("f"))) {
      int at = 0;
      for (int length : new int[] {0, 1, 511, 4096, 70_000, 125_392}) {
        assertThat(output.size()).isEqualTo(at);
        output.write(bytes, at, length);
        at += length;
        output.sync();
      }
      assertThat(at).isEqualTo(bytes.length);
    }
    byte[] read = new byte[bytes.length + 10];
    try (ReadableFile input = fileSystem().open(path("f"))) {
      assertThat(input.size()).isEqualTo(bytes.length);
      assertThat(input.read(0, read, 5, bytes.length)).isEqualTo(bytes.length);
      assertThat(Arrays.equals(read, 5, 5 + bytes.length, bytes, 0, bytes.length)).isTrue();
      assertThat(input.read(4090, read, 0, 12)).isEqualTo(12);
      assertThat(Arrays.equals(read, 0, 12, bytes, 4090, 4102)).isTrue();
    }
    assertThat(fileSystem().size(path("f"))).isEqualTo(bytes.length);
  }

  @Test
  void readsEndWhereTheFileEnds() throws Exception {
    write(path("f"), "0123456789");
    try (ReadableFile input = fileSystem().open(path("f"))) {
      byte[] target = new byte[20];
      assertThat(input.read(7, target, 0, 20)).isEqualTo(3);
      assertThat(input.read(10, target, 0, 20)).isZero();
      assertThat(input.read(1000, target, 0, 20)).isZero();
      assertThat(input.read(0, target, 0, 0)).isZero();
      assertThat(new String(target, 0, 3, UTF_8)).isEqualTo("789");
    }
  }

  @Test
  void readerSeesWhatIsWrittenAfterItWasOpened() throws Exception {
    try (WritableFile output = fileSystem().create(path("f"));
        ReadableFile input = fileSystem().open(path("f"))) {
      output.write(new byte[] {7}, 0, 1);
      byte[] target = new byte[1];
      assertThat(input.read(0, target, 0, 1)).isEqualTo(1);
      assertThat(target[0]).isEqualTo((byte) 7);
      assertThat(input.size()).isZero();
    }
  }

  @Test
  void createEmptiesAnExistingFile() throws Exception {
    write(path("f"), "long text");
    write(path("f"), "x");

    assertThat(read(path("f"))).isEqualTo("x");
  }

  @Test
  void missingFilesAreToldByTheirException() {
    Path missing = path("missing");
    assertThatThrownBy(() -> fileSystem().open(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().size(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().remove(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().list(missing)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().rename(missing, path("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().link(missing, path("x")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().syncFile(missing))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().syncDirectory(missing))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().create(missing.resolve("f")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().map(missing.resolve("f"), 1))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> fileSystem().lock(missing.resolve("f"), "me"))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void directoriesAreCreatedWithTheirParents() throws Exception {
    fileSystem().createDirectories(path("a/b/c"));
    fileSystem().createDirectories(path("a/b/c"));
    write(path("a/b/f"), "x");

    assertThat(fileSystem().list(path("a/b"))).containsExactlyInAnyOrder("c", "f");
    assertThat(fileSystem().exists(path("a/b/c"))).isTrue();
    assertThat(fileSystem().exists(path("a/b/d"))).isFalse();
    assertThatThrownBy(() -> fileSystem().createDirectories(path("a/b/f")))
        .isInstanceOf(IOException.class);
    fileSystem().syncDirectory(path("a/b"));
  }

  @Test
  void directoryIsNotAFile() throws Exception {
    fileSystem().createDirectories(path("d"));

    assertThatThrownBy(() -> fileSystem().open(path("d"))).isInstanceOf(CorruptFileException.class);
    assertThatThrownBy(() -> fileSystem().size(path("d"))).isInstanceOf(CorruptFileException.class);
    assertThatThrownBy(() -> fileSystem().syncFile(path("d")))
        .isInstanceOf(CorruptFileException.class);
    assertThatThrownBy(() -> fileSystem().create(path("d"))).isInstanceOf(IOException.class);
  }

  @Test
  void renameReplacesTheTarget() throws Exception {
    write(path("a"), "new");
    write(path("b"), "old");
    fileSystem().createDirectories(path("d"));
    fileSystem().rename(path("a"), path("b"));
    assertThat(fileSystem().list(directory())).containsExactlyInAnyOrder("b", "d");

    fileSystem().rename(path("b"), path("d/c"));
    assertThat(fileSystem().list(directory())).containsExactly("d");
    assertThat(read(path("d/c"))).isEqualTo("new");
  }

  @Test
  void removeTakesFilesAndEmptyDirectories() throws Exception {
    fileSystem().createDirectories(path("d"));
    write(path("d/f"), "x");

    assertThatThrownBy(() -> fileSystem().remove(path("d")))
        .isInstanceOf(DirectoryNotEmptyException.class);
    fileSystem().remove(path("d/f"));
    fileSystem().remove(path("d"));
    assertThat(fileSystem().list(directory())).isEmpty();
  }

  @Test
  void renameMovesADirectoryWithAllThatIsInIt() throws Exception {
    fileSystem().createDirectories(path("from/deep"));
    write(path("from/a"), "text");
    write(path("from/deep/b"), "more");
    fileSystem().createDirectories(path("taken"));
    write(path("taken/c"), "kept");
    assertThatThrownBy(() -> fileSystem().rename(path("from"), path("taken")))
        .isInstanceOf(IOException.class);
    assertThat(read(path("taken/c"))).isEqualTo("kept");

    fileSystem().rename(path("from"), path("to"));
    assertThat(fileSystem().exists(path("from"))).isFalse();
    assertThat(read(path("to/a"))).isEqualTo("text");
    assertThat(read(path("to/deep/b"))).isEqualTo("more");
  }

  @Test
  void linkIsASecondNameOfTheSameFile() throws Exception {
    write(path("a"), "text");
    write(path("b"), "taken");
    assertThatThrownBy(() -> fileSystem().link(path("a"), path("b")))
        .isInstanceOf(FileAlreadyExistsException.class);

    fileSystem().link(path("a"), path("c"));
    fileSystem().rename(path("a"), path("c"));
    assertThat(fileSystem().exists(path("a"))).as("rename between names of one file").isTrue();
    fileSystem().remove(path("a"));
    assertThat(read(path("c"))).isEqualTo("text");
  }

  @Test
  void fileIsSyncedByNameWhateverWroteIt() throws Exception {
    write(path("f"), "text");
    fileSystem().syncFile(path("f"));

    assertThat(read(path("f"))).isEqualTo("text");
  }

  @Test
  void mappedFileKeepsItsBytesAndIsExtendedByZeros() throws Exception {
    write(path("m"), "kept");
    try (MappedFile mapped = fileSystem().map(path("m"), 10_000)) {
      assertThat(mapped.size()).isEqualTo(10_000);
      mapped.write(9_998, new byte[] {9, 1, 2, 9}, 1, 2);
      mapped.force(9_998, 2);
      mapped.force(0, 0);
      mapped.force(5, 4_100);
    }
    String text = read(path("m"));
    assertThat(text).hasSize(10_000).startsWith("kept\0\0").endsWith("\0\1\2");

    fileSystem().map(path("m"), 100).close();
    assertThat(fileSystem().size(path("m"))).as("a longer file stays").isEqualTo(10_000);
  }

  @Test
  void bytesWrittenThroughAMappedFileAreThoseStored() throws Exception {
    try (MappedFile mapped = fileSystem().map(path("m"), 20_000)) {
      mapped.write(4_000, new byte[] {1, 1, 1, 1}, 0, 4);
      mapped.writeThrough(4_001, new byte[] {9, 2, 3, 9}, 1, 2);
      mapped.write(4_002, new byte[] {4}, 0, 1);
      mapped.writeThrough(4_094, new byte[] {5, 6, 7, 8}, 0, 4);
      assertThatThrownBy(() -> mapped.writeThrough(19_998, new byte[3], 0, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    byte[] bytes = read(path("m")).getBytes(UTF_8);
    assertThat(Arrays.copyOfRange(bytes, 4_000, 4_004)).containsExactly(1, 2, 4, 1);
    assertThat(Arrays.copyOfRange(bytes, 4_093, 4_099)).containsExactly(0, 5, 6, 7, 8, 0);
    assertThat(bytes).hasSize(20_000);
  }

  @Test
  void aDetachedFileCanStillBeForced() throws Exception {
    try (MappedFile mapped = fileSystem().map(path("m"), 10_000)) {
      mapped.write(7, new byte[] {1, 2}, 0, 2);
      mapped.detach();
      mapped.detach();
      mapped.force(0, 9);
      mapped.force(7, 2);
      assertThat(mapped.size()).isEqualTo(10_000);
    }
    assertThat(read(path("m")).substring(7, 9)).isEqualTo("\1\2");
  }

  @Test
  void mappedFileHasBounds() throws Exception {
    try (MappedFile mapped = fileSystem().map(path("m"), 100)) {
      assertThatThrownBy(() -> mapped.write(98, new byte[3], 0, 3))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> mapped.force(-1, 3)).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> fileSystem().map(path("m"), 0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void closedFilesFailWithIoExceptions() throws Exception {
    WritableFile output = fileSystem().create(path("f"));
    output.close();
    output.close();
    assertThatThrownBy(() -> output.write(new byte[1], 0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(output::sync).isInstanceOf(IOException.class);
    ReadableFile input = fileSystem().open(path("f"));
    input.close();
    input.close();
    assertThatThrownBy(() -> input.read(0, new byte[1], 0, 1)).isInstanceOf(IOException.class);
    MappedFile mapped = fileSystem().map(path("m"), 10);
    mapped.close();
    mapped.close();
    assertThatThrownBy(() -> mapped.write(0, new byte[1], 0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> mapped.force(0, 1)).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> mapped.writeThrough(0, new byte[1], 0, 1))
        .isInstanceOf(IOException.class);
  }

  @Test
  void lockRefusesAllOthersUntilItIsClosed() throws Exception {
    FileLock lock = fileSystem().lock(path("LOCK"), "the first");
    assertThatThrownBy(() -> fileSystem().lock(path("LOCK"), "the second"))
        .isInstanceOfSatisfying(
            LockedException.class, e -> assertThat(e.isInThisProcess()).isTrue())
        .hasMessageContaining("the first");
    lock.close();
    FileLock again = fileSystem().lock(path("LOCK"), "the third");
    // The first has nothing to give up any more.
    lock.close();
    assertThatThrownBy(() -> fileSystem().lock(path("LOCK"), "the fourth"))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("the third");
    again.close();
    assertThat(fileSystem().exists(path("LOCK"))).isTrue();
  }

  @Test
  void whatWasMadeHereIsNoSymbolicLink() throws Exception {
    fileSystem().create(path("file")).close();
    assertThat(fileSystem().isSymbolicLink(path("file"))).isFalse();
    assertThat(fileSystem().isSymbolicLink(directory())).isFalse();
    assertThat(fileSystem().isSymbolicLink(path("missing"))).isFalse();
  }

  @Test
  void thereIsSpace() throws Exception {
    assertThat(fileSystem().usableBytes(directory())).isPositive();
  }

  @Test
  void interruptStatusIsLeftAlone() throws Exception {
    Thread.currentThread().interrupt();
    write(path("f"), "text");
    String text = read(path("f"));
    fileSystem().syncFile(path("f"));
    fileSystem().syncDirectory(directory());

    assertThat(Thread.interrupted()).isTrue();
    assertThat(text).isEqualTo("text");
  }
}
