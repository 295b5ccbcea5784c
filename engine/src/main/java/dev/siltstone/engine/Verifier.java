package dev.siltstone.engine;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.engine.check.CheckReport;
import dev.siltstone.engine.check.StoreCheck;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.Log;
import dev.siltstone.engine.wal.LogTail;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@link Db#verify}: of a directory, and of a store that is open for writing. */
final class Verifier {
  private Verifier() {}

  /** What only the process that writes a store knows of it. */
  record Writing(VersionSet versions, Log log, StoreJobs jobs, Writes writes)
      implements StoreCheck.Live {
    @Override
    public StoreState state() {
      return versions.state();
    }

    @Override
    public LogTail durable() {
      return log.durable();
    }

    @Override
    public List<String> obsolete() throws IOException {
      return jobs.obsolete();
    }
  }

  static Verification verify(Path directory, Components components, VerifyOptions options) {
    FileSystem given = components.fileSystem();
    FileSystem fileSystem = given == null ? new OsFileSystem() : given;
    try {
      if (!fileSystem.exists(directory)) {
        throw Directories.noStore(fileSystem, directory);
      }
      return run(place(directory, fileSystem, components), null, options);
    } catch (NoSuchFileException e) {
      throw new DbException.Unavailable(directory + " holds no store", e);
    } catch (IOException e) {
      throw Failure.ofIo(e, "verifying " + directory);
    }
  }

  /** Of an open store; its files are kept while it is verified. */
  static Verification verify(
      Store.Core core, FileSystem fileSystem, @Nullable Writing writing, VerifyOptions options) {
    core.failure().checkOpen();
    VerifyOptions untilClosed =
        options.withProgress(
            (file, bytes, total) -> {
              core.failure().checkOpen();
              return options.progress().proceed(file, bytes, total);
            });
    StoreCheck.Place place = place(core.directory(), fileSystem, core.components());
    try {
      if (writing == null) {
        return run(place, null, untilClosed);
      }
      StoreState pinned = writing.versions.pin();
      try {
        return run(place, writing, untilClosed);
      } finally {
        writing.versions.unpin(pinned);
        writing.writes.viewReleased();
      }
    } catch (IOException e) {
      throw core.failure().translate(e, "verifying " + core.directory());
    }
  }

  private static StoreCheck.Place place(
      Path directory, FileSystem fileSystem, Components components) {
    return new StoreCheck.Place(
        fileSystem, directory, new Compressors(components.compressors()), components.random());
  }

  private static Verification run(
      StoreCheck.Place place, StoreCheck.@Nullable Live live, VerifyOptions options)
      throws IOException {
    CheckReport report = StoreCheck.run(place, live, options.progress()::proceed);
    List<Verification.Problem> problems = new ArrayList<>();
    for (CorruptFileException fault : report.faults()) {
      problems.add(
          new Verification.Problem(
              fault.file(), fault.offset(), String.valueOf(fault.getMessage())));
    }
    List<Verification.Unchecked> unchecked = new ArrayList<>();
    for (CheckReport.Note file : report.unchecked()) {
      unchecked.add(new Verification.Unchecked(file.file(), file.what()));
    }
    List<Verification.Note> notes = new ArrayList<>();
    for (CheckReport.Note note : report.notes()) {
      notes.add(new Verification.Note(note.file(), note.what()));
    }
    return new Verification(
        report.complete(),
        report.trees(),
        checked(report.tables()),
        checked(report.blobs()),
        checked(report.logs()),
        checked(report.manifests()),
        problems,
        report.faultCount(),
        unchecked,
        notes);
  }

  private static Verification.Checked checked(CheckReport.Count count) {
    return new Verification.Checked(count.files(), count.bytes(), count.entries());
  }
}
