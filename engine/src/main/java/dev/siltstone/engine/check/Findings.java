package dev.siltstone.engine.check;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Collects faults and notes of one check, and tells its watcher how far it is. */
final class Findings {
  /** How often something that a writer may change meanwhile is looked at. */
  private static final int ATTEMPTS = 100;

  private final StoreCheck.Watcher watcher;
  private final List<CorruptFileException> faults = new ArrayList<>();
  private final List<CheckReport.Note> unchecked = new ArrayList<>();
  private final List<CheckReport.Note> notes = new ArrayList<>();
  private final long bytesTotal;
  private long faultCount;
  private long bytes;

  /** A look at something that may be damaged. */
  @FunctionalInterface
  interface Look<T> {
    T take() throws IOException;
  }

  Findings(FileSystem fileSystem, Path directory, StoreCheck.Watcher watcher) throws IOException {
    this.watcher = watcher;
    long total = 0;
    for (String name : fileSystem.list(directory)) {
      total += FileNames.parse(name) == null ? 0 : size(fileSystem, directory.resolve(name));
    }
    this.bytesTotal = total;
  }

  /** The length of a file; 0 if it is gone, or not a file at all. */
  static long size(FileSystem fileSystem, Path file) throws IOException {
    try {
      return fileSystem.size(file);
    } catch (NoSuchFileException | CorruptFileException e) {
      return 0;
    }
  }

  void fault(CorruptFileException fault) {
    faultCount++;
    if (faults.size() < StoreCheck.FAULTS_MAX) {
      faults.add(fault);
    }
  }

  /** A file cannot be checked by this process; that is no fault of the file. */
  void unchecked(Path file, IOException why) {
    String message = Objects.toString(why.getMessage());
    String path = file.toString();
    String what = message.startsWith(path) ? message.substring(path.length()) : message;
    boolean denied = why instanceof AccessDeniedException;
    unchecked.add(
        new CheckReport.Note(file, denied ? "access denied" : what.replaceFirst("^[: ]+", "")));
  }

  void note(Path file, String what) {
    notes.add(new CheckReport.Note(file, what));
  }

  List<CorruptFileException> faults() {
    return faults;
  }

  List<CheckReport.Note> unchecked() {
    return unchecked;
  }

  List<CheckReport.Note> notes() {
    return notes;
  }

  long faultCount() {
    return faultCount;
  }

  /** So many more bytes were read. */
  void progress(Path file, long more) throws StoppedException {
    bytes += more;
    if (!watcher.proceed(file, bytes, Math.max(bytes, bytesTotal))) {
      throw new StoppedException();
    }
  }

  /**
   * Looks until that succeeds, or finds the same damage twice: files that a writer changes during
   * one look can seem damaged. The damage is reported then.
   *
   * @return {@code null} for damage
   */
  <T> @Nullable T confirmed(Look<T> look) throws IOException {
    CorruptFileException before = null;
    for (int attempt = 1; ; attempt++) {
      try {
        return look.take();
      } catch (CorruptFileException e) {
        if (attempt >= ATTEMPTS || (before != null && same(before, e))) {
          fault(e);
          return null;
        }
        before = e;
      } catch (NoSuchFileException e) {
        if (attempt >= ATTEMPTS) {
          throw e;
        }
      }
    }
  }

  private static boolean same(CorruptFileException a, CorruptFileException b) {
    return a.file().equals(b.file())
        && a.offset() == b.offset()
        && Objects.equals(a.getMessage(), b.getMessage());
  }
}
