package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * Compacts random subsets of random files and compares what every reader sees before and after. It
 * takes a seed and returns what is wrong, or nothing: a JDK interface, so that it can also run in a
 * class loader of its own over mutated rules.
 */
final class DropRuleChecker implements LongFunction<String> {
  private long cutoff;
  private RandomTree.Content inputs;
  private RandomTree.Content others;

  /** Whether older data is known record by record, or by the bounds of files as in a store. */
  private boolean exact;

  private List<RandomTree.Content> otherFiles;

  @Override
  public String apply(long seed) {
    try {
      return check(seed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String check(long seed) throws IOException {
    Random random = new Random(seed);
    List<RandomTree.Content> files = RandomTree.files(random, 1 + random.nextInt(4));
    inputs = new RandomTree.Content();
    others = new RandomTree.Content();
    otherFiles = new java.util.ArrayList<>();
    for (RandomTree.Content file : files) {
      if (random.nextInt(3) > 0 || files.size() == 1) {
        inputs.addAll(file);
      } else {
        others.addAll(file);
        otherFiles.add(file);
      }
    }
    cutoff = random.nextInt(RandomTree.TIME_MAX + 2);
    exact = random.nextBoolean();
    RandomTree.Content output = compact(inputs);
    String wrong = visibility(output);
    if (wrong == null) {
      wrong = shape(output);
    }
    if (wrong == null) {
      RandomTree.Content again = compact(output);
      if (!again.records().equals(output.records()) || !sameRanges(again, output)) {
        wrong = "a second run changes the output";
      }
    }
    return wrong == null ? null : "seed " + seed + ", cutoff " + cutoff + ": " + wrong;
  }

  private RandomTree.Content compact(RandomTree.Content from) throws IOException {
    RangeDeletes rangeDeletes = new RangeDeletes(from.fragments(), cutoff, older());
    DropRule rule = new DropRule(cutoff, older(), rangeDeletes);
    RandomTree.Content output = new RandomTree.Content();
    for (TestRecord record : from.records()) {
      byte[] padded = new byte[record.key().length + 3];
      System.arraycopy(record.key(), 0, padded, 2, record.key().length);
      DropRule.Fate fate =
          rule.judge(
              padded,
              2,
              record.key().length,
              record.trailer(),
              record.value(),
              0,
              record.value().length);
      Arrays.fill(padded, (byte) 0x99);
      switch (fate) {
        case KEEP -> output.records().add(record);
        case TOMBSTONE ->
            output.records().add(new TestRecord(record.key(), rule.tombstone(), Bytes.EMPTY));
        case HIDDEN, SHADOWED, DELETED, EXPIRED -> {
          // It goes.
        }
      }
    }
    output.addFragments(rangeDeletes.survivors());
    return output;
  }

  /** I1, I8, I9: for every key and every reader at or after the cutoff. */
  private String visibility(RandomTree.Content output) {
    RandomTree.Content before = new RandomTree.Content();
    before.addAll(inputs);
    before.addAll(others);
    RandomTree.Content after = new RandomTree.Content();
    after.addAll(output);
    after.addAll(others);
    TreeSet<byte[]> keys = new TreeSet<>(Bytes::compare);
    before.records().forEach(record -> keys.add(record.key()));
    for (byte[] key : keys) {
      for (long time = cutoff; time <= RandomTree.READER_TIME_MAX; time++) {
        TestRecord was = RandomTree.visible(before, key, time);
        TestRecord is = RandomTree.visible(after, key, time);
        if (!Objects.equals(was, is)) {
          return "at " + time + " key " + Bytes.hex(key) + " was " + was + " and is " + is;
        }
      }
    }
    return null;
  }

  /** I3 to I7: nothing is kept without a reason, nothing is made up. */
  private String shape(RandomTree.Content output) {
    for (TestRecord record : inputs.records()) {
      if (record.time() > cutoff && !output.records().contains(record)) {
        return "newer than the cutoff, yet changed: " + record;
      }
    }
    TestRecord last = null;
    for (TestRecord record : output.records()) {
      boolean same = last != null && Arrays.equals(last.key(), record.key());
      last = record.time() > cutoff ? last : record;
      if (record.time() > cutoff) {
        continue;
      }
      String reason = reasonToGo(record, same);
      if (reason != null) {
        return reason + ", yet kept: " + record;
      }
    }
    return ranges(output);
  }

  /** Why a record at or before the cutoff should not have been kept in this form. */
  private String reasonToGo(TestRecord record, boolean shadowed) {
    boolean olderAtKey = older().mayHoldKey(record.key(), 0, record.key().length, record.time());
    boolean olderBelow =
        older().mayHoldSubtree(record.key(), 0, record.key().length, record.time());
    boolean subtree = KeyKind.isSubtree(record.kind());
    boolean mayHide = subtree ? olderBelow : olderAtKey;
    boolean isDelete = !KeyKind.isPut(record.kind());
    TestRecord input =
        inputs.records().stream().filter(r -> sameKeyAndTime(r, record)).findFirst().orElse(null);
    if (input == null) {
      return "made up";
    }
    if (isDelete && (!mayHide || subtree != KeyKind.isSubtree(input.kind()))) {
      return "hides nothing or has another shape";
    }
    if (!isDelete && !input.equals(record)) {
      return "changed";
    }
    if (shadowed && !(isDelete && subtree)) {
      return "shadowed";
    }
    if (RandomTree.expiry(record) <= cutoff) {
      return "expired";
    }
    RandomTree.Content above = new RandomTree.Content();
    above.records().addAll(inputs.records());
    if (record.time() < RandomTree.hider(above, record, cutoff)) {
      return "hidden from above";
    }
    above.rangeDeletes().addAll(inputs.rangeDeletes());
    boolean covered = record.time() < RandomTree.hider(above, record, cutoff);
    return covered && !(isDelete && subtree) ? "hidden by a range delete" : null;
  }

  private String ranges(RandomTree.Content output) {
    for (RandomTree.RangeDelete delete : output.rangeDeletes()) {
      boolean newest =
          output.rangeDeletes().stream()
              .noneMatch(
                  other ->
                      other.time() > delete.time()
                          && other.time() <= cutoff
                          && other.covers(delete.lower()));
      if (delete.time() <= cutoff
          && !(newest && older().mayHoldRange(delete.lower(), delete.upper(), delete.time()))) {
        return "range delete kept in vain: " + delete.time();
      }
    }
    for (RandomTree.RangeDelete delete : inputs.rangeDeletes()) {
      if (delete.time() > cutoff
          && output.rangeDeletes().stream()
              .noneMatch(o -> o.time() == delete.time() && o.covers(delete.lower()))) {
        return "range delete after the cutoff lost: " + delete.time();
      }
    }
    return null;
  }

  private static boolean sameRanges(RandomTree.Content a, RandomTree.Content b) {
    StringBuilder texts = new StringBuilder();
    for (RandomTree.Content content : List.of(a, b)) {
      content
          .fragments()
          .forEach(
              HybridTime.MIN,
              (lower, upper, times) ->
                  texts
                      .append(Bytes.hex(lower))
                      .append(Bytes.hex(upper))
                      .append(Arrays.toString(times)));
      texts.append('|');
    }
    String text = texts.toString();
    return text.equals(text.substring(text.length() / 2).repeat(2));
  }

  private static boolean sameKeyAndTime(TestRecord a, TestRecord b) {
    return a.time() == b.time() && Arrays.equals(a.key(), b.key());
  }

  private OlderData older() {
    return new OlderData() {
      @Override
      public boolean mayHoldKey(byte[] key, int offset, int length, long time) {
        byte[] lower = Bytes.copy(key, offset, length);
        return mayHoldRange(lower, Bytes.successor(lower), time);
      }

      @Override
      public boolean mayHoldSubtree(byte[] key, int offset, int length, long time) {
        byte[] lower = Bytes.copy(key, offset, length);
        byte[] upper = Bytes.prefixEnd(lower);
        return mayHoldRange(lower, upper == null ? new byte[] {-1, -1, -1, -1, -1} : upper, time);
      }

      @Override
      public boolean mayHoldRange(byte[] lower, byte[] upper, long time) {
        return exact ? exactRange(lower, upper, time) : boundsRange(lower, upper, time);
      }
    };
  }

  /** Only puts need hiding. */
  private boolean exactRange(byte[] lower, byte[] upper, long time) {
    return others.records().stream()
        .anyMatch(
            record ->
                record.time() < time
                    && KeyKind.isPut(record.kind())
                    && Bytes.compare(lower, record.key()) <= 0
                    && Bytes.compare(record.key(), upper) < 0);
  }

  private boolean boundsRange(byte[] lower, byte[] upper, long time) {
    for (RandomTree.Content file : otherFiles) {
      TreeSet<byte[]> bounds = new TreeSet<>(Bytes::compare);
      long minTime = Long.MAX_VALUE;
      for (TestRecord record : file.records()) {
        bounds.add(record.key());
        bounds.add(Bytes.successor(record.key()));
        minTime = Math.min(minTime, Trailer.time(record.trailer()));
      }
      for (RandomTree.RangeDelete delete : file.rangeDeletes()) {
        bounds.add(delete.lower());
        bounds.add(delete.upper());
        minTime = Math.min(minTime, delete.time());
      }
      if (!bounds.isEmpty()
          && minTime < time
          && Bytes.compare(bounds.first(), upper) < 0
          && Bytes.compare(lower, bounds.last()) < 0) {
        return true;
      }
    }
    return false;
  }
}
