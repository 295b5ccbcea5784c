package dev.siltstone.engine.version;

import dev.siltstone.engine.file.FileNames;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;

/**
 * Which files of a store directory nothing needs any more.
 *
 * <p>Only names that a store makes are ever returned. The order of looking matters: first the
 * directory, then what jobs and the log use, then the versions. A file that is made later is not in
 * the listing; a file that a job hands over to a version meanwhile is seen in one of the two.
 */
public final class ObsoleteFiles {
  private ObsoleteFiles() {}

  /**
   * The names of files that may be removed now, in the order in which to remove them. None while
   * {@link VersionSet#mayDelete} is false.
   *
   * @param othersInUse gives the numbers of all files that running jobs make or read, that
   *     memtables refer to, and that the log has ({@code Log.fileNumbers}, and the foreign segments
   *     that recovery found)
   * @param options number of the newest options file; 0 to keep all
   */
  public static List<String> find(
      VersionSet versions, Supplier<Collection<Long>> othersInUse, long options)
      throws IOException {
    List<String> names = versions.fileSystem().list(versions.directory());
    Collection<Long> others = othersInUse.get();
    LiveFiles live = versions.liveFiles(others, options);
    return versions.mayDelete() ? among(names, live) : List.of();
  }

  /** The names among {@code names} that are obsolete; markers come before their manifests. */
  public static List<String> among(Collection<String> names, LiveFiles live) {
    List<String> markers = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (String name : names) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed == null || !isObsolete(parsed, live)) {
        continue;
      }
      (parsed.kind() == FileNames.Kind.CURRENT ? markers : others).add(name);
    }
    markers.addAll(others);
    return markers;
  }

  private static boolean isObsolete(FileNames.Parsed file, LiveFiles live) {
    return switch (file.kind()) {
      case TABLE, BLOB, LOG, TEMPORARY -> !live.numbers().contains(file.number());
      // A newer one than that in force is being made.
      case MANIFEST, CURRENT -> file.number() < live.manifest();
      case OPTIONS -> file.number() < live.options();
      case LOCK -> false;
    };
  }
}
