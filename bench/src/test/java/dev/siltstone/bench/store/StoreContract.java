package dev.siltstone.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.siltstone.bench.store.Engine.Feature;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

// Goal: a workload means the same on every engine.
// Method: one contract, run on every adapter with the real engine behind it.
abstract class StoreContract {
  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path folder;

  abstract Engine engine();

  Store open() throws Exception {
    Path directory = folder.resolve("store");
    Files.createDirectories(directory);
    return engine().open(directory, new StoreConfig(1 << 20, 8 << 20, true, true));
  }

  @Test
  void getSeesTheNewestValueAndNothingElse() throws Exception {
    try (Store store = open()) {
      store.put(key("61"), value("01"));
      store.put(key("6162"), value("02"));
      store.put(key("61"), value("03"));

      assertThat(store.get(key("61"))).isEqualTo(value("03"));
      assertThat(store.get(key("6162"))).isEqualTo(value("02"));
      assertThat(store.get(key("6161"))).isNull();
      assertThat(store.getBySeek(key("61"))).isEqualTo(value("03"));
      assertThat(store.getBySeek(key("6161"))).isNull();
      assertThat(store.getBySeek(key("ff"))).isNull();
    }
  }

  @Test
  void severalGetsAnswerInTheOrderOfTheirKeys() throws Exception {
    try (Store store = open()) {
      store.put(key("61"), value("01"));
      store.put(key("62"), value("02"));

      List<byte @Nullable []> values =
          store.getAll(List.of(key("62"), key("63"), key("61"), key("62")));

      assertThat(values).hasSize(4);
      assertThat(values.get(0)).isEqualTo(value("02"));
      assertThat(values.get(1)).isNull();
      assertThat(values.get(2)).isEqualTo(value("01"));
      assertThat(values.get(3)).isEqualTo(value("02"));
    }
  }

  @Test
  void deletedKeysAreGoneAndMayComeBack() throws Exception {
    try (Store store = open()) {
      store.put(key("61"), value("01"));
      store.delete(key("61"));
      store.delete(key("62"));

      assertThat(store.get(key("61"))).isNull();
      assertThat(store.getBySeek(key("61"))).isNull();
      assertThat(forward(store, null)).isEmpty();

      store.put(key("61"), value("02"));
      assertThat(store.get(key("61"))).isEqualTo(value("02"));
    }
  }

  @Test
  void laterChangesOfABatchWinAndSyncedBatchesToo() throws Exception {
    try (Store store = open()) {
      Batch batch = new Batch();
      batch.put(key("61"), value("01"));
      batch.delete(key("61"));
      batch.put(key("62"), value("02"));
      batch.delete(key("63"));
      batch.put(key("63"), value("03"));
      store.write(batch, false);
      batch.clear();
      batch.put(key("64"), value("04"));
      store.write(batch, true);

      assertThat(forward(store, null)).containsExactly("62=02", "63=03", "64=04");
    }
  }

  @Test
  void scansGoInUnsignedByteOrderFromWhereTheyAreTold() throws Exception {
    try (Store store = open()) {
      for (String key : List.of("ff", "00", "80", "7f", "7f00", "61")) {
        store.put(key(key), value(key));
      }

      assertThat(forward(store, null))
          .containsExactly("00=00", "61=61", "7f=7f", "7f00=7f00", "80=80", "ff=ff");
      assertThat(forward(store, "7f")).containsExactly("7f=7f", "7f00=7f00", "80=80", "ff=ff");
      assertThat(forward(store, "62")).containsExactly("7f=7f", "7f00=7f00", "80=80", "ff=ff");
      assertThat(forward(store, "ff00")).isEmpty();
    }
  }

  @Test
  void scansGoDownWhereTheEngineCan() throws Exception {
    try (Store store = open()) {
      for (String key : List.of("61", "62", "64")) {
        store.put(key(key), value(key));
      }
      if (!engine().has(Feature.DESCENDING)) {
        assertThatThrownBy(() -> backward(store, null))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessageContaining("backward");
        return;
      }

      assertThat(backward(store, null)).containsExactly("64=64", "62=62", "61=61");
      assertThat(backward(store, "62")).containsExactly("62=62", "61=61");
      assertThat(backward(store, "63")).containsExactly("62=62", "61=61");
      assertThat(backward(store, "65")).containsExactly("64=64", "62=62", "61=61");
      assertThat(backward(store, "60")).isEmpty();
    }
  }

  @Test
  void aScanEndsWhenTheVisitorHasEnough() throws Exception {
    try (Store store = open()) {
      store.put(key("61"), value("01"));
      store.put(key("62"), value("02"));
      List<String> seen = new ArrayList<>();

      store.scan(
          null,
          false,
          (key, value) -> {
            seen.add(entry(key, value));
            return false;
          });

      assertThat(seen).containsExactly("61=01");
    }
  }

  @Test
  void randomChangesAgreeWithASortedMap() throws Exception {
    long seed = 20261201;
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    TreeMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    try (Store store = open()) {
      for (int i = 0; i < 3000; i++) {
        byte[] key = bytes(random, 1 + random.nextInt(3), 6);
        if (random.nextInt(3) == 0) {
          model.remove(key);
          store.delete(key);
        } else {
          byte[] value = bytes(random, random.nextInt(200), 256);
          model.put(key, value);
          store.put(key, value);
        }
        if (i % 1000 == 999) {
          store.flush();
        }
      }
      if (engine().has(Feature.COMPACT)) {
        store.compact();
      }

      List<String> due =
          model.entrySet().stream().map(each -> entry(each.getKey(), each.getValue())).toList();
      assertThat(forward(store, null)).as("seed %d", seed).isEqualTo(due);
      for (Map.Entry<byte[], byte[]> each : model.entrySet()) {
        assertThat(store.get(each.getKey())).as("seed %d", seed).isEqualTo(each.getValue());
      }
    }
  }

  @Test
  void whatWasWrittenIsThereWhenOpenedAgain() throws Exception {
    assumeTrue(engine().has(Feature.LOG), "keeps nothing");
    try (Store store = open()) {
      store.put(key("61"), value("01"));
      store.put(key("62"), value("02"));
      store.delete(key("61"));
    }
    try (Store store = open()) {
      assertThat(forward(store, null)).containsExactly("62=02");
    }
  }

  @Test
  void threadsMayWriteAndReadAtOnce() throws Exception {
    try (Store store = open()) {
      List<Thread> threads = new ArrayList<>();
      List<Throwable> failures = new ArrayList<>();
      for (int t = 0; t < 4; t++) {
        int prefix = t;
        threads.add(
            Thread.ofPlatform()
                .uncaughtExceptionHandler((_, failure) -> add(failures, failure))
                .start(() -> writeAndRead(store, prefix)));
      }
      for (Thread thread : threads) {
        thread.join();
      }

      assertThat(failures).isEmpty();
      assertThat(forward(store, null)).hasSize(4 * 200);
    }
  }

  private static void writeAndRead(Store store, int prefix) {
    for (int i = 0; i < 200; i++) {
      byte[] key = {(byte) prefix, (byte) i};
      store.put(key, key);
      if (!Arrays.equals(store.get(key), key) || !Arrays.equals(store.getBySeek(key), key)) {
        throw new AssertionError("thread " + prefix + " misses its key " + i);
      }
    }
  }

  private static synchronized void add(List<Throwable> failures, Throwable failure) {
    failures.add(failure);
  }

  private static List<String> forward(Store store, @Nullable String from) {
    return scan(store, from, false);
  }

  private static List<String> backward(Store store, @Nullable String from) {
    return scan(store, from, true);
  }

  private static List<String> scan(Store store, @Nullable String from, boolean descending) {
    List<String> seen = new ArrayList<>();
    store.scan(
        from == null ? null : key(from), descending, (key, value) -> seen.add(entry(key, value)));
    return seen;
  }

  private static String entry(byte[] key, byte[] value) {
    return HEX.formatHex(key) + "=" + HEX.formatHex(value);
  }

  private static byte[] key(String hex) {
    return HEX.parseHex(hex);
  }

  private static byte[] value(String hex) {
    return HEX.parseHex(hex);
  }

  private static byte[] bytes(RandomGenerator random, int length, int bound) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (random.nextInt(bound) * (256 / bound));
    }
    return bytes;
  }
}
