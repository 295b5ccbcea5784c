package dev.siltstone.engine;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.gap.Gap;
import dev.siltstone.engine.gap.GapMemo;
import dev.siltstone.engine.gap.Walk;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.run.Seed;
import dev.siltstone.testkit.run.Seeds;
import dev.siltstone.testkit.run.SimScheduler;
import dev.siltstone.testkit.time.SimClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Goal: no cursor jumps over a live key, at whatever step of a reader a writer comes, and the other
 * way round; and a memo that leaves out one of the rules of the package {@code engine.gap} is found
 * out. Method: the memo of a store runs a random operation of the store wherever a reader or a
 * writer calls it: one thread, so a seed gives the same run again. Every move of every cursor, old
 * ones and nested ones too, is compared with a copy of a map.
 */
final class GapInterleavingTest {
  private static final int KEYS = 24;
  private static final int OPERATIONS = 250;
  private static final int MUTANT_SEEDS = 400;

  /** What a memo may get wrong. */
  enum Mistake {
    /** A walk is registered when it ends, so births during the walk do not bound it. */
    LATE_REGISTRATION,
    /** A birth does not cut gaps. */
    MISSED_CLIP,
    /** A reader jumps gaps that are younger than itself. */
    USE_BY_AN_OLDER_READER,
    /** A reader that judges expiry earlier than the learner jumps all the same. */
    USE_BY_AN_EARLIER_JUDGE,
    /** A reader takes the end of a gap from another state of the memo than its beginning. */
    TORN_STRETCH,
    /** A gap takes in the key that ended the walk. */
    END_INCLUDED
  }

  /** Runs operations of a script at each of its seams. */
  private static final class SteppedMemo implements GapMemo {
    private final GapMemo memo;
    private final Script script;

    SteppedMemo(GapMemo memo, Script script) {
      this.memo = memo;
      this.script = script;
    }

    @Override
    public int deadMin() {
      return memo.deadMin();
    }

    @Override
    public boolean isEmpty() {
      // Once for every dead key that a cursor passes.
      script.betweenStepsOfAReader();
      return memo.isEmpty();
    }

    @Override
    public @Nullable Gap find(byte[] key, int offset, int length, long atTime, long expiryTime) {
      return memo.find(key, offset, length, atTime, expiryTime);
    }

    @Override
    public Walk walkForward(byte[] start) {
      script.betweenStepsOfAReader();
      Walk walk = memo.walkForward(start);
      script.betweenStepsOfAReader();
      return walk;
    }

    @Override
    public Walk walkBackward(byte @Nullable [] end) {
      script.betweenStepsOfAReader();
      Walk walk = memo.walkBackward(end);
      script.betweenStepsOfAReader();
      return walk;
    }

    @Override
    public void cancel(Walk walk) {
      memo.cancel(walk);
    }

    @Override
    public void finish(
        Walk walk, byte[] lower, byte @Nullable [] upper, long time, long expiryTime, long weight) {
      script.betweenStepsOfAReader();
      memo.finish(walk, lower, upper, time, expiryTime, weight);
      script.betweenStepsOfAReader();
    }

    @Override
    public boolean isIdle() {
      // After the records of a batch are in the memtable, before the memo is told.
      script.betweenStepsOfAWriter();
      return memo.isIdle();
    }

    @Override
    public void born(byte[] key, int offset, int length) {
      memo.born(key, offset, length);
      script.betweenStepsOfAWriter();
    }

    @Override
    public void born(byte[] lower, byte[] upper) {
      memo.born(lower, upper);
      script.betweenStepsOfAWriter();
    }

    @Override
    public int size() {
      return memo.size();
    }

    @Override
    public long learned() {
      return memo.learned();
    }

    @Override
    public long jumps() {
      return memo.jumps();
    }

    @Override
    public long clips() {
      return memo.clips();
    }

    @Override
    public long evictions() {
      return memo.evictions();
    }
  }

  /** Leaves out what one of the rules asks for. */
  private static final class WrongMemo implements GapMemo {
    private final GapMemo memo;
    private final Mistake mistake;
    private @Nullable Gap before;

    WrongMemo(GapMemo memo, Mistake mistake) {
      this.memo = memo;
      this.mistake = mistake;
    }

    @Override
    public int deadMin() {
      return memo.deadMin();
    }

    @Override
    public boolean isIdle() {
      return memo.isIdle();
    }

    @Override
    public boolean isEmpty() {
      return memo.isEmpty();
    }

    @Override
    public void born(byte[] key, int offset, int length) {
      if (mistake != Mistake.MISSED_CLIP) {
        memo.born(key, offset, length);
      }
    }

    @Override
    public void born(byte[] lower, byte[] upper) {
      if (mistake != Mistake.MISSED_CLIP) {
        memo.born(lower, upper);
      }
    }

    @Override
    public Walk walkForward(byte[] start) {
      return memo.walkForward(start);
    }

    @Override
    public Walk walkBackward(byte @Nullable [] end) {
      return memo.walkBackward(end);
    }

    @Override
    public void cancel(Walk walk) {
      memo.cancel(walk);
    }

    @Override
    public void finish(
        Walk walk, byte[] lower, byte @Nullable [] upper, long time, long expiryTime, long weight) {
      switch (mistake) {
        case LATE_REGISTRATION -> {
          memo.cancel(walk);
          memo.finish(memo.walkForward(lower), lower, upper, time, expiryTime, weight);
        }
        case END_INCLUDED -> {
          byte[] after = upper == null ? null : Bytes.successor(upper);
          memo.finish(walk, lower, after, time, expiryTime, weight);
        }
        default -> memo.finish(walk, lower, upper, time, expiryTime, weight);
      }
    }

    @Override
    public @Nullable Gap find(byte[] key, int offset, int length, long atTime, long expiryTime) {
      Gap found =
          memo.find(
              key,
              offset,
              length,
              mistake == Mistake.USE_BY_AN_OLDER_READER ? Long.MAX_VALUE : atTime,
              mistake == Mistake.USE_BY_AN_EARLIER_JUDGE ? Long.MAX_VALUE : expiryTime);
      Gap last = before;
      before = found;
      if (mistake == Mistake.TORN_STRETCH && found != null && last != null) {
        byte[] end = last.upper();
        if (end != null && Bytes.compare(end, key) > 0) {
          return new Gap(found.lower(), end, found.time(), found.expiryTime(), found.weight());
        }
      }
      return found;
    }

    @Override
    public int size() {
      return memo.size();
    }

    @Override
    public long learned() {
      return memo.learned();
    }

    @Override
    public long jumps() {
      return memo.jumps();
    }

    @Override
    public long clips() {
      return memo.clips();
    }

    @Override
    public long evictions() {
      return memo.evictions();
    }
  }

  /** Operations on a store with one tree, and a map beside it. */
  private static final class Script {
    private final SplittableRandom random;
    private final SimClock clock = new SimClock();
    private final Db db;
    private final TreeMap<Integer, Entry> model = new TreeMap<>();
    private final List<Reader> readers = new ArrayList<>();
    private int depth;
    private boolean writing;

    private record Entry(String value, long expirySeconds) {}

    /** A cursor, and what it must see. */
    private static final class Reader {
      final Cursor cursor;
      final @Nullable Snapshot snapshot;
      final TreeMap<Integer, String> expected = new TreeMap<>();
      @Nullable Integer at;
      boolean busy;

      Reader(Cursor cursor, @Nullable Snapshot snapshot) {
        this.cursor = cursor;
        this.snapshot = snapshot;
      }
    }

    Script(Seed seed, UnaryOperator<GapMemo> mistakes) {
      random = seed.random("script");
      SplittableRandom ids = seed.random("ids");
      int deadMin = random.nextInt(3);
      Options options =
          Options.builder()
              .memtableBytes(16 << 10)
              .tableBytes(16 << 10)
              .logSegmentBytes(64 << 10)
              .gapDeadMin(deadMin)
              .gapMemos(dead -> new SteppedMemo(mistakes.apply(GapMemo.create(dead)), this))
              .build();
      db =
          Db.open(
              Path.of("/store"),
              options,
              Components.DEFAULT
                  .withFileSystem(new SimFileSystem())
                  .withClock(clock)
                  .withScheduler(new SimScheduler(clock, seed.random("scheduler")))
                  .withRandom(ids::nextLong));
    }

    /** Runs the script; returns how often a cursor jumped. */
    long run() {
      try (db) {
        for (int i = 0; i < OPERATIONS; i++) {
          operation();
        }
        while (!readers.isEmpty()) {
          close(readers.removeLast());
        }
        return db.stats().gaps().jumps();
      }
    }

    void betweenStepsOfAReader() {
      if (depth < 2 && random.nextInt(4) == 0) {
        depth++;
        operation();
        depth--;
      }
    }

    void betweenStepsOfAWriter() {
      if (random.nextInt(2) == 0) {
        boolean outer = writing;
        writing = true;
        depth++;
        read();
        depth--;
        writing = outer;
      }
    }

    private void operation() {
      if (writing) {
        read();
        return;
      }
      switch (random.nextInt(16)) {
        case 0, 1, 2 -> put(Duration.ZERO);
        case 3 -> put(Duration.ofSeconds(1 + random.nextInt(20)));
        case 4 -> delete(random.nextInt(KEYS), 1);
        case 5, 6 -> delete(random.nextInt(KEYS), 1 + random.nextInt(KEYS));
        case 7 -> deleteRange();
        case 8 -> clock.advance(1_000_000_000L * random.nextInt(10));
        case 9 -> db.flush();
        case 10 -> {
          if (random.nextInt(3) == 0) {
            db.compact(KeyRange.ALL);
          }
        }
        default -> read();
      }
    }

    private void put(Duration timeToLive) {
      int key = random.nextInt(KEYS);
      String value = "v" + random.nextInt(1_000_000);
      if (timeToLive.isZero()) {
        db.put(bytes(key), value.getBytes(UTF_8));
        model.put(key, new Entry(value, Long.MAX_VALUE));
      } else {
        db.tree().put(bytes(key), value.getBytes(UTF_8), timeToLive.minusMillis(500));
        model.put(key, new Entry(value, seconds() + timeToLive.toSeconds()));
      }
    }

    private void delete(int from, int count) {
      for (int key = from; key < Math.min(KEYS, from + count); key++) {
        db.delete(bytes(key));
        model.remove(key);
      }
    }

    private void deleteRange() {
      int from = random.nextInt(KEYS);
      int to = from + 1 + random.nextInt(KEYS);
      db.deleteRange(KeyRange.of(bytes(from), bytes(to)));
      model.subMap(from, to).clear();
    }

    private long seconds() {
      return clock.wallMicros() / 1_000_000;
    }

    private void read() {
      if (readers.isEmpty() || (readers.size() < 4 && random.nextInt(3) == 0)) {
        readers.add(open());
      }
      Reader reader = readers.get(random.nextInt(readers.size()));
      if (reader.busy) {
        return;
      }
      for (int moves = 1 + random.nextInt(6); moves > 0; moves--) {
        move(reader);
      }
      if (random.nextInt(3) == 0) {
        readers.remove(reader);
        close(reader);
      }
    }

    private Reader open() {
      Snapshot snapshot = random.nextInt(3) == 0 ? db.snapshot() : null;
      ReadOptions options = ReadOptions.DEFAULT.withSnapshot(snapshot);
      Reader reader = new Reader(db.tree().cursor(options), snapshot);
      model.forEach(
          (key, entry) -> {
            if (entry.expirySeconds > seconds()) {
              reader.expected.put(key, entry.value);
            }
          });
      return reader;
    }

    private static void close(Reader reader) {
      reader.cursor.close();
      if (reader.snapshot != null) {
        reader.snapshot.close();
      }
    }

    private void move(Reader reader) {
      reader.busy = true;
      Cursor cursor = reader.cursor;
      TreeMap<Integer, String> expected = reader.expected;
      int key = random.nextInt(KEYS + 1);
      Integer at = reader.at;
      boolean found;
      Map.Entry<Integer, String> wanted;
      switch (random.nextInt(at == null ? 4 : 12)) {
        case 0 -> {
          wanted = expected.firstEntry();
          found = cursor.first();
        }
        case 1 -> {
          wanted = expected.lastEntry();
          found = cursor.last();
        }
        case 2 -> {
          wanted = expected.ceilingEntry(key);
          found = cursor.seek(bytes(key));
        }
        case 3 -> {
          wanted = expected.floorEntry(key);
          found = cursor.seekForPrev(bytes(key));
        }
        case 4, 5, 6, 7, 8 -> {
          wanted = expected.higherEntry(at);
          found = cursor.next();
        }
        default -> {
          wanted = expected.lowerEntry(at);
          found = cursor.prev();
        }
      }
      assertThat(found ? cursor.key()[0] : null)
          .isEqualTo(wanted == null ? null : (byte) (int) wanted.getKey());
      if (wanted != null) {
        assertThat(new String(cursor.value(), UTF_8)).isEqualTo(wanted.getValue());
      }
      reader.at = wanted == null ? null : wanted.getKey();
      reader.busy = false;
    }

    private static byte[] bytes(int key) {
      return new byte[] {(byte) key};
    }
  }

  @Test
  void cursorsSeeWhatTheMapHolds() {
    int[] jumps = {0};
    Seeds.forEach(
        1,
        Integer.getInteger("siltstone.gap.seeds", 300),
        seed -> jumps[0] += (int) new Script(seed, UnaryOperator.identity()).run());
    assertThat(jumps[0]).isGreaterThan(1_000);
  }

  @ParameterizedTest
  @EnumSource(Mistake.class)
  void mistakesAreFoundOut(Mistake mistake) {
    for (int seed = 1; seed <= MUTANT_SEEDS; seed++) {
      try {
        new Script(new Seed(seed), memo -> new WrongMemo(memo, mistake)).run();
      } catch (AssertionError e) {
        return;
      }
    }
    fail(MUTANT_SEEDS + " scripts do not tell a memo with " + mistake + " from a right one");
  }
}
