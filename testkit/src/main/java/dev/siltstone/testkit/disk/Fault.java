package dev.siltstone.testkit.disk;

import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link FaultFileSystem} does wrong, and when: {@code
 * Fault.on(DiskOperation.SYNC).name(".*\\.log").at(3)} fails the fourth sync of a log with an
 * {@link IOException}. Set up before it is added; afterwards only asked.
 */
public final class Fault {
  private final Set<DiskOperation> operations;
  private Predicate<Path> paths = _ -> true;
  private long at;
  private boolean always;
  private boolean afterEffect;
  private boolean partly;
  private boolean losing;
  private boolean damaging;
  private @Nullable Runnable pause;
  private @Nullable Supplier<IOException> failure;
  private @Nullable Supplier<? extends Error> error;
  private final AtomicLong matched = new AtomicLong();
  private volatile boolean fired;

  private Fault(Set<DiskOperation> operations) {
    this.operations = operations;
  }

  /** A fault of these kinds of operations; fails the first one unless told otherwise. */
  public static Fault on(DiskOperation first, DiskOperation... more) {
    return new Fault(EnumSet.of(first, more));
  }

  /** A fault of every operation that changes the disk. */
  public static Fault onChanges() {
    Set<DiskOperation> changes = EnumSet.allOf(DiskOperation.class);
    changes.removeIf(operation -> !operation.isChanging());
    return new Fault(changes);
  }

  /** Only for paths that pass. */
  public Fault path(Predicate<Path> predicate) {
    paths = predicate;
    return this;
  }

  /** Only for files whose last name matches a regular expression as a whole. */
  public Fault name(String regex) {
    Pattern pattern = Pattern.compile(regex);
    return path(path -> pattern.matcher(String.valueOf(path.getFileName())).matches());
  }

  /** Strikes at the n-th operation that matches, from 0. */
  public Fault at(long n) {
    at = n;
    return this;
  }

  /** Strikes at all further ones, too. */
  public Fault always() {
    always = true;
    return this;
  }

  /** Fails with this exception. */
  public Fault failing(Supplier<IOException> exception) {
    failure = exception;
    return this;
  }

  /** Throws this error instead of an exception. */
  public Fault throwing(Supplier<? extends Error> thrown) {
    error = thrown;
    return this;
  }

  /** Lets the operation happen and then fails, as when only the answer is lost. */
  public Fault afterEffect() {
    afterEffect = true;
    return this;
  }

  /** Of a write, stores the first half and then fails. */
  public Fault partly() {
    partly = true;
    return this;
  }

  /**
   * Of a sync or force, makes the un-synced changes of the file impossible to sync; on a {@link
   * SimFileSystem} only.
   */
  public Fault losingUnsynced() {
    losing = true;
    return this;
  }

  /** Of a read, flips one bit of what was read, and does not fail. */
  public Fault damaging() {
    damaging = true;
    return this;
  }

  /** Runs this before the operation, and does not fail unless told how. */
  public Fault pausing(Runnable slow) {
    pause = slow;
    return this;
  }

  /** Whether it struck. */
  public boolean fired() {
    return fired;
  }

  /** Operations that matched so far, whether it struck at them or not. */
  public long matched() {
    return matched.get();
  }

  /** Counts an operation; returns whether the fault strikes at it. */
  boolean strikes(DiskOperation operation, Path path) {
    if (!operations.contains(operation) || !paths.test(path)) {
      return false;
    }
    long number = matched.getAndIncrement();
    if (number == at || (always && number > at)) {
      fired = true;
      return true;
    }
    return false;
  }

  void pause() {
    if (pause != null) {
      pause.run();
    }
  }

  boolean isAfterEffect() {
    return afterEffect;
  }

  boolean isPartly() {
    return partly;
  }

  boolean isLosing() {
    return losing;
  }

  boolean isDamaging() {
    return damaging;
  }

  /** Whether the operation fails at all. */
  boolean fails() {
    return failure != null || error != null || (pause == null && !damaging);
  }

  IOException failure(DiskOperation operation, Path path) {
    if (error != null) {
      throw error.get();
    }
    return failure != null ? failure.get() : new IOException("injected: " + operation + " " + path);
  }
}
