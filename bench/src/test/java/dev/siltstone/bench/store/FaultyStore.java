package dev.siltstone.bench.store;

import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A skip list that errs in one way, so that tests can see who notices. */
public class FaultyStore implements Store {
  private final Store truth;
  private final Fault fault;
  private int puts;
  private int deletes;

  public FaultyStore(Fault fault) {
    this.fault = fault;
    truth = Engine.SKIPLIST.open(Path.of(""), StoreConfig.DEFAULT);
  }

  /** What it does wrong. */
  public enum Fault {
    NONE,
    /** Every 97th put is lost. */
    LOSES_PUTS,
    /** Every 97th delete is lost. */
    LOSES_DELETES,
    /** A get flips the last bit of every value. */
    DAMAGES_VALUES,
    /** A get of a missing key finds the next one's value. */
    FINDS_NEIGHBOURS,
    /** A scan leaves out every 97th entry. */
    SKIPS_ENTRIES,
    /** A scan gives every 97th entry twice. */
    REPEATS_ENTRIES,
    /** A seek sees what was deleted as an empty value. */
    SEES_THE_DEAD
  }

  @Override
  public void put(byte[] key, byte[] value) {
    puts++;
    if (fault != Fault.LOSES_PUTS || puts % 97 != 0) {
      truth.put(key, value);
    }
  }

  @Override
  public byte @Nullable [] get(byte[] key) {
    byte[] value = truth.get(key);
    if (value != null && value.length > 0 && fault == Fault.DAMAGES_VALUES) {
      value[value.length - 1] ^= 1;
    }
    if (value == null && fault == Fault.FINDS_NEIGHBOURS) {
      byte[][] found = {null};
      truth.scan(
          key,
          false,
          (_, next) -> {
            found[0] = next;
            return false;
          });
      return found[0];
    }
    return value;
  }

  @Override
  public byte @Nullable [] getBySeek(byte[] key) {
    byte[] value = truth.getBySeek(key);
    return value == null && fault == Fault.SEES_THE_DEAD ? new byte[0] : value;
  }

  @Override
  public void delete(byte[] key) {
    deletes++;
    if (fault != Fault.LOSES_DELETES || deletes % 97 != 0) {
      truth.delete(key);
    }
  }

  @Override
  public void write(Batch batch, boolean sync) {
    for (int i = 0; i < batch.size(); i++) {
      byte[] value = batch.value(i);
      if (value == null) {
        delete(batch.key(i));
      } else {
        put(batch.key(i), value);
      }
    }
  }

  @Override
  public void scan(byte @Nullable [] from, boolean descending, Visitor visitor) {
    int[] seen = {0};
    truth.scan(
        from,
        descending,
        (key, value) -> {
          seen[0]++;
          if (seen[0] % 97 == 3 && fault == Fault.SKIPS_ENTRIES) {
            return true;
          }
          boolean more = visitor.visit(key, value);
          if (more && seen[0] % 97 == 3 && fault == Fault.REPEATS_ENTRIES) {
            more = visitor.visit(key, Arrays.copyOf(value, value.length));
          }
          return more;
        });
  }

  @Override
  public void flush() {
    truth.flush();
  }

  @Override
  public void compact() {
    // As much as a skip list needs.
  }

  @Override
  public void close() {
    truth.close();
  }
}
