package dev.siltstone.engine;

import static java.util.stream.Collectors.joining;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.MapEntrySetTester;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SplittableRandom;
import junit.framework.Test;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;

/**
 * Goal: a map view is a {@link java.util.concurrent.ConcurrentNavigableMap} to the letter, and so
 * are its submaps, descending maps, key sets, entry sets and values. Method: the suite that Guava
 * tests its maps and those of the JDK with, each of its tests run as one.
 */
final class MapViewContractTest {
  /** Trees that are in use at a time; a test makes only a few maps. */
  private static final int TREES = 16;

  private final Db db = open();
  private int maps;

  @AfterEach
  void close() {
    db.close();
  }

  @org.junit.jupiter.api.Test
  @Tag("slow")
  void isWhatTheJdkPromises() throws ReflectiveOperationException {
    TestSuite suite =
        ConcurrentNavigableMapTestSuiteBuilder.using(new Generator())
            .named("map view")
            .withFeatures(
                MapFeature.GENERAL_PURPOSE,
                MapFeature.ALLOWS_NULL_ENTRY_QUERIES,
                CollectionFeature.KNOWN_ORDER,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                CollectionSize.ANY)
            // Entries are copies, as those of a ConcurrentSkipListMap.
            .suppressing(
                MapEntrySetTester.getSetValueMethod(),
                MapEntrySetTester.class.getMethod("testIteratorSetValueAndRemove"),
                MapEntrySetTester.getSetValueWithNullValuesAbsentMethod())
            .createTestSuite();
    TestResult result = new TestResult();
    suite.run(result);
    List<String> failed = new ArrayList<>();
    collect(result.failures(), failed);
    collect(result.errors(), failed);
    if (!failed.isEmpty() || result.runCount() < 1_000) {
      throw new AssertionError(
          failed.size()
              + " of "
              + result.runCount()
              + " failed:\n"
              + failed.stream().limit(40).collect(joining("\n")));
    }
  }

  private static void collect(Enumeration<TestFailure> failures, List<String> failed) {
    for (TestFailure failure : Collections.list(failures)) {
      Test test = failure.failedTest();
      String where = failure.trace().lines().limit(6).collect(joining("\n    "));
      if (failed.stream().noneMatch(other -> other.startsWith(nameOf(test)))) {
        failed.add(nameOf(test) + " in " + test + ": " + where);
      }
    }
  }

  /** Of a test that runs on many maps, to be told once. */
  private static String nameOf(Test test) {
    String name = test.toString();
    return name.substring(0, name.indexOf('['));
  }

  /** A map with the given entries, in a tree of its own. */
  private final class Generator extends TestStringSortedMapGenerator {
    @Override
    protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
      SortedMap<String, String> map = nextTree().asMap(Codec.string(), Codec.string());
      for (Map.Entry<String, String> entry : entries) {
        map.put(entry.getKey(), entry.getValue());
      }
      return map;
    }
  }

  private Tree nextTree() {
    if (maps >= TREES) {
      db.dropTree("tree " + (maps - TREES));
    }
    return db.openTree("tree " + maps++, TreeOptions.DEFAULT);
  }

  private static Db open() {
    Simulation machine = Simulation.of(new Seed(1));
    SplittableRandom random = new SplittableRandom(1);
    return Db.open(
        Path.of("/store"),
        Options.builder().memoryBytes(8 << 20).logSegmentBytes(64 << 10).build(),
        Components.DEFAULT
            .withFileSystem(machine.fileSystem())
            .withClock(machine.clock())
            .withScheduler(machine.scheduler())
            .withRandom(random::nextLong));
  }
}
