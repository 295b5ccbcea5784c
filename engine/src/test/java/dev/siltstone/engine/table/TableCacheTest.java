package dev.siltstone.engine.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.WritableFile;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.table.TableFixture.Place;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

// Goal: a file is opened once, whoever asks first, stays open until it is evicted, and leaves
// nothing behind in the block cache.
// Method: many small files; eviction and reopening; threads that ask for the same files.
final class TableCacheTest {
  private static final Path DIRECTORY = Path.of("/t");
  private static final long STORE = 99;

  private final SimFileSystem fileSystem = new SimFileSystem();
  private final BlockCache blocks = new BlockCache(8 << 20);
  private final TableCache tables =
      new TableCache(fileSystem, DIRECTORY, STORE, blocks, new Compressors());

  TableCacheTest() throws IOException {
    fileSystem.createDirectories(DIRECTORY);
  }

  private long write(long number) throws IOException {
    Path path = DIRECTORY.resolve(FileNames.Kind.TABLE.name(number));
    try (WritableFile file = fileSystem.create(path)) {
      TableWriter writer = new TableWriter(file, number, STORE, TableWriterOptions.defaults());
      byte[] key = ("key " + number).getBytes(StandardCharsets.UTF_8);
      writer.add(key, 0, key.length, Place.of("", 5, KeyKind.PUT).trailer(), key, 0, key.length);
      return writer.finish().fileBytes();
    }
  }

  private static boolean holds(TableReader table, long number) throws IOException {
    byte[] key = ("key " + number).getBytes(StandardCharsets.UTF_8);
    return TableFixture.find(table, key, 5, 0) != null;
  }

  @Test
  void everyFileIsFoundAgainWhileOthersComeAndGo() throws IOException {
    TableReader[] readers = new TableReader[300];
    for (int number = 1; number < readers.length; number++) {
      readers[number] = tables.reader(number, write(number));
      assertThat(holds(readers[number], number)).isTrue();
      if (number % 3 == 0) {
        tables.evict(number / 3);
        readers[number / 3] = tables.reader(number / 3, -1);
      }
    }
    for (int number = 1; number < readers.length; number++) {
      assertThat(tables.reader(number, -1)).isSameAs(readers[number]);
    }
    tables.close();
  }

  @Test
  void evictionForgetsTheBlocksAndThePinnedBytes() throws IOException {
    write(1);
    write(2);
    assertThat(holds(tables.reader(1, -1), 1)).isTrue();
    assertThat(holds(tables.reader(2, -1), 2)).isTrue();
    BlockCache.Stats before = blocks.stats();
    assertThat(before.entries()).isEqualTo(6);
    tables.evict(1);
    BlockCache.Stats after = blocks.stats();
    assertThat(after.entries()).isEqualTo(3);
    assertThat(after.pinnedBytes()).isBetween(1L, before.pinnedBytes() - 1);
    tables.evict(1);
    tables.close();
    tables.close();
    assertThat(blocks.stats().pinnedBytes()).isZero();
  }

  @Test
  void storesThatShareABlockCacheDoNotMeet() throws IOException {
    write(1);
    Path other = Path.of("/other");
    fileSystem.createDirectories(other);
    Path path = other.resolve(FileNames.Kind.TABLE.name(1));
    try (WritableFile file = fileSystem.create(path)) {
      TableWriter writer = new TableWriter(file, 1, 7, TableWriterOptions.defaults());
      TableFixture.add(writer, Place.of("other", 5, KeyKind.PUT), new byte[3]);
      writer.finish();
    }
    TableCache others = new TableCache(fileSystem, other, 7, blocks, new Compressors());
    assertThat(holds(tables.reader(1, -1), 1)).isTrue();
    assertThat(holds(others.reader(1, -1), 1)).isFalse();
    assertThat(TableFixture.forward(others.reader(1, -1).iterator(true))).hasSize(1);
  }

  @Test
  void aFileThatCannotBeOpenedIsTriedAgain() throws IOException {
    assertThatThrownBy(() -> tables.reader(4, -1)).isInstanceOf(NoSuchFileException.class);
    long bytes = write(4);
    assertThatThrownBy(() -> tables.reader(4, bytes + 1)).isInstanceOf(CorruptFileException.class);
    assertThat(holds(tables.reader(4, bytes), 4)).isTrue();
    tables.close();
    assertThatThrownBy(() -> tables.reader(4, bytes))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void threadsThatAskForTheSameFilesGetTheSameReaders() throws Exception {
    int files = 40;
    for (int number = 1; number <= files; number++) {
      write(number);
    }
    TableReader[][] seen = new TableReader[4][files + 1];
    AtomicReference<Throwable> failure = new AtomicReference<>();
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < seen.length; t++) {
      TableReader[] mine = seen[t];
      SplittableRandom random = new SplittableRandom(t);
      threads.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      for (int i = 0; i < 2_000; i++) {
                        int number = 1 + random.nextInt(files);
                        TableReader reader = tables.reader(number, -1);
                        if (!holds(reader, number)) {
                          throw new AssertionError("file " + number);
                        }
                        if (mine[number] != null && mine[number] != reader) {
                          throw new AssertionError("two readers of file " + number);
                        }
                        mine[number] = reader;
                      }
                    } catch (Throwable e) {
                      failure.compareAndSet(null, e);
                    }
                  }));
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(failure.get()).isNull();
    for (TableReader[] mine : seen) {
      assertThat(mine).isEqualTo(seen[0]);
    }
    tables.close();
  }
}
