package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Leveled compaction with level sizes that follow the last level. In order of urgency:
 *
 * <ol>
 *   <li>files whose every record is dead are dropped unread; that costs nothing, so it comes first;
 *   <li>level 0, by its number of files;
 *   <li>the level that exceeds its target most, and there the file that overlaps the next level
 *       least for its size;
 *   <li>a file that has expired to a large share;
 *   <li>a file that consists of deletes and obsolete versions to a large share, or holds range
 *       deletes. The counts come from the file's metadata, so no reader has to suffer first.
 * </ol>
 *
 * <p>The last two can end only once the cutoff has passed everything in the file, or they would
 * rewrite it in vain; in the last level they rewrite in place.
 *
 * <p>Immutable.
 */
public final class LeveledPicker implements CompactionPicker {
  private static final int LAST = Version.LEVELS - 1;

  /** Neighbours that are taken along if they cost no more of the next level. */
  private static final int NEIGHBOURS_MAX = 16;

  private final CompactionSettings settings;

  /** A picker with these settings. */
  public LeveledPicker(CompactionSettings settings) {
    this.settings = settings;
  }

  @Override
  public @Nullable Compaction pick(Situation situation) {
    return new Round(situation).pick();
  }

  @Override
  public @Nullable Compaction pick(ManualCompaction manual, Situation situation) {
    return new Round(situation).pick(manual);
  }

  @Override
  public long debtBytes(Version version) {
    LevelTargets targets = new LevelTargets(version, settings, Version.LEVELS);
    long level0 = version.bytes(0);
    boolean full = targets.score(version, 0, Set.of()) >= 1;
    long sinking = full ? level0 : 0;
    long debt = full ? level0 + version.bytes(targets.base()) : 0;
    for (int level = targets.base(); level < LAST; level++) {
      long bytes = version.bytes(level) + sinking;
      sinking = Math.max(0, bytes - targets.target(level));
      // What sinks takes its share of the next level along.
      double perByte = 1 + Math.min(settings.fanOut(), (double) version.bytes(level + 1) / bytes);
      debt += sinking == 0 ? 0 : (long) (sinking * perByte);
    }
    return debt;
  }

  /** One look at one situation. */
  private final class Round {
    private final Version version;
    private final List<Compaction> running;
    private final long cutoff;
    private final Coverage coverage;
    private final int compressedFrom;
    private final Set<FileMeta> busy = new HashSet<>();
    private final LevelTargets targets;

    Round(Situation situation) {
      version = situation.version();
      running = situation.running();
      cutoff = situation.cutoff();
      coverage = situation.coverage();
      compressedFrom = situation.compressedFrom();
      int firstOutputLevel = Version.LEVELS;
      for (Compaction compaction : running) {
        busy.addAll(compaction.files());
        firstOutputLevel = Math.min(firstOutputLevel, Math.max(1, compaction.outputLevel()));
      }
      targets = new LevelTargets(version, settings, firstOutputLevel);
    }

    @Nullable Compaction pick() {
      Compaction picked = pickDead();
      if (picked == null && targets.score(version, 0, busy) >= 1) {
        picked = pickLevel0(Compaction.Reason.LEVEL0);
      }
      if (picked == null) {
        picked = pickBySize();
      }
      if (picked == null) {
        picked = pickByShare(Compaction.Reason.EXPIRED);
      }
      if (picked == null) {
        picked = pickByShare(Compaction.Reason.DELETES);
      }
      return picked;
    }

    private @Nullable Compaction pickDead() {
      List<FileMeta> none = List.of();
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : version.level(level)) {
          if (!busy.contains(file) && isDead(file, level)) {
            return new Compaction(
                Compaction.Action.DROP,
                Compaction.Reason.DEAD,
                level,
                level,
                List.of(file),
                none,
                none);
          }
        }
      }
      return null;
    }

    /**
     * Whether no reader can see anything of a file, nor anything else because the file is gone. A
     * subtree record hides what lies outside the bounds of its file, so a file with one must be
     * read.
     */
    private boolean isDead(FileMeta file, int level) {
      if (file.maxTime() > cutoff || file.subtrees() > 0) {
        return false;
      }
      boolean expired =
          file.entries() > 0
              && file.expiring() == file.entries()
              && file.maxExpiry() <= cutoff
              && file.rangeDeletes() == 0;
      // Dropped, the expired records would no longer hide what is older. A range delete that covers
      // the file hides that too.
      return (expired && !olderBelow(file, level)) || coverage.covers(file, level, cutoff);
    }

    /** Whether something older than something in the file may lie below it. */
    private boolean olderBelow(FileMeta file, int level) {
      for (int below = level; below < Version.LEVELS; below++) {
        for (FileMeta other : version.level(below)) {
          boolean isBelow = below > level || (level == 0 && file.isNewerThan(other));
          if (isBelow
              && other.minTime() < file.maxTime()
              && other.overlaps(file.lower(), file.upper())) {
            return true;
          }
        }
      }
      return false;
    }

    /**
     * As many files of level 0 as fit, the oldest first; or else what can be taken beside others.
     */
    private @Nullable Compaction pickLevel0(Compaction.Reason reason) {
      List<FileMeta> level0 = version.level(0);
      List<FileMeta> chosen = new ArrayList<>();
      List<FileMeta> left = new ArrayList<>();
      long bytes = 0;
      for (FileMeta file : level0.reversed()) {
        boolean fits = chosen.isEmpty() || bytes + file.bytes() <= settings.jobBytesMax();
        // A file must not sink below an older one that overlaps it.
        if (busy.contains(file) || !fits || overlapsAny(file, left)) {
          left.add(file);
        } else {
          chosen.addFirst(file);
          bytes += file.bytes();
        }
      }
      Compaction picked = chosen.isEmpty() ? null : assemble(reason, 0, targets.base(), chosen);
      for (int i = chosen.size() - 1; i >= 0 && picked == null; i--) {
        picked = assemble(reason, 0, targets.base(), withOlder(List.of(chosen.get(i))));
      }
      return picked;
    }

    /** Files of level 0 and all older ones that overlap them, or overlap such, newest first. */
    private List<FileMeta> withOlder(List<FileMeta> seeds) {
      List<FileMeta> result = new ArrayList<>();
      for (FileMeta file : version.level(0)) {
        if (seeds.contains(file) || overlapsAny(file, result)) {
          result.add(file);
        }
      }
      return result;
    }

    private @Nullable Compaction pickBySize() {
      List<Integer> levels = new ArrayList<>();
      for (int level = 1; level < LAST; level++) {
        if (targets.score(version, level, busy) >= 1) {
          levels.add(level);
        }
      }
      levels.sort(
          (a, b) ->
              Double.compare(targets.score(version, b, busy), targets.score(version, a, busy)));
      for (int level : levels) {
        Compaction picked = pickLeastOverlap(level);
        if (picked != null) {
          return picked;
        }
      }
      return null;
    }

    /** The file of a level that takes least of the next level along, for its size. */
    private @Nullable Compaction pickLeastOverlap(int level) {
      Compaction best = null;
      double least = Double.MAX_VALUE;
      List<FileMeta> next = version.level(level + 1);
      int from = 0;
      for (FileMeta file : version.level(level)) {
        while (from < next.size() && !endsAfter(next.get(from), file)) {
          from++;
        }
        long overlap = 0;
        for (int i = from;
            i < next.size() && next.get(i).overlaps(file.lower(), file.upper());
            i++) {
          overlap += next.get(i).bytes();
        }
        double perByte = (double) overlap / Math.max(1, file.bytes());
        if (perByte < least && !busy.contains(file)) {
          Compaction candidate = sink(Compaction.Reason.SIZE, level, file);
          if (candidate != null) {
            best = candidate;
            least = perByte;
          }
        }
      }
      return best;
    }

    /** The file with the greatest share of what the reason names, if it is large enough. */
    private @Nullable Compaction pickByShare(Compaction.Reason reason) {
      Compaction best = null;
      double greatest = 0;
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : version.level(level)) {
          double share = file.maxTime() > cutoff ? 0 : share(reason, file, level);
          if (share > greatest && !busy.contains(file)) {
            Compaction candidate =
                level == 0
                    ? pickLevel0(reason)
                    : level == LAST
                        ? assemble(reason, level, level, List.of(file))
                        : sink(reason, level, file);
            if (candidate != null) {
              best = candidate;
              greatest = share;
            }
          }
        }
      }
      return best;
    }

    /** Dead entries over entries; 0 if that is less than would be worth a compaction. */
    private double share(Compaction.Reason reason, FileMeta file, int level) {
      long entries = file.entries() + file.rangeDeletes();
      long expired = file.maxExpiry() <= cutoff ? file.expiring() : 0;
      long dead =
          reason == Compaction.Reason.EXPIRED
              ? expired
              : file.deletes() + file.rangeDeletes() + file.obsolete();
      if (level == LAST) {
        // A subtree record may have to stay, both as a delete and as an obsolete record: then
        // rewriting the file would not help, and this would not end.
        dead -= 2 * file.subtrees();
      }
      boolean ranges = reason == Compaction.Reason.DELETES && file.rangeDeletes() > 0;
      if (dead <= 0 || !(ranges || dead * 100 >= settings.deadPercent() * entries)) {
        return 0;
      }
      return (double) dead / entries;
    }

    @Nullable Compaction pick(ManualCompaction manual) {
      while (!manual.isDone()) {
        if (manual.level() < 0) {
          manual.enter(0, version);
        }
        if (!manual.isBottom() && manual.level() >= bottom(manual)) {
          manual.enterBottom(version);
        }
        List<FileMeta> pending = manual.pending(version);
        if (!pending.isEmpty()) {
          return manual.isBottom() ? pickInPlace(manual, pending) : pickDown(manual, pending);
        }
        if (manual.isBottom()) {
          manual.finish();
        } else {
          manual.enter(manual.level() + 1, version);
        }
      }
      return null;
    }

    /** The deepest level that holds something of the range. */
    private int bottom(ManualCompaction manual) {
      int bottom = LAST;
      while (bottom > targets.base() && manual.overlapping(version, bottom).isEmpty()) {
        bottom--;
      }
      return bottom;
    }

    private @Nullable Compaction pickDown(ManualCompaction manual, List<FileMeta> pending) {
      int level = manual.level();
      if (level == 0) {
        // The oldest first, as none may sink below an older one.
        List<FileMeta> inputs = upToLimit(withOlder(pending).reversed()).reversed();
        return assemble(Compaction.Reason.MANUAL, 0, targets.base(), inputs);
      }
      for (FileMeta file : pending) {
        Compaction picked = sink(Compaction.Reason.MANUAL, level, file);
        if (picked != null) {
          return picked;
        }
      }
      return null;
    }

    /** Rewrites files that are neighbours in their level, as outputs may span what lies between. */
    private @Nullable Compaction pickInPlace(ManualCompaction manual, List<FileMeta> pending) {
      int level = manual.level();
      List<FileMeta> files = version.level(level);
      boolean together = manual.holdsSubtrees(version);
      for (int i = 0; i < files.size(); i++) {
        List<FileMeta> run = new ArrayList<>();
        for (int j = i; j < files.size() && pending.contains(files.get(j)); j++) {
          run.add(files.get(j));
        }
        if (!run.isEmpty()) {
          Compaction picked =
              assemble(Compaction.Reason.MANUAL, level, level, together ? run : upToLimit(run));
          if (picked != null || together) {
            return picked;
          }
        }
      }
      return null;
    }

    /** The first files of a list that fit into one compaction, at least one. */
    private List<FileMeta> upToLimit(List<FileMeta> files) {
      int count = 1;
      long bytes = files.getFirst().bytes();
      while (count < files.size() && bytes + files.get(count).bytes() <= settings.jobBytesMax()) {
        bytes += files.get(count).bytes();
        count++;
      }
      return files.subList(0, count);
    }

    /**
     * A compaction of one file of a level >= 1 into the next, with neighbours that cost nothing.
     */
    private @Nullable Compaction sink(Compaction.Reason reason, int level, FileMeta file) {
      List<FileMeta> files = version.level(level);
      int first = files.indexOf(file);
      int last = first;
      List<FileMeta> next = version.overlapping(level + 1, file.lower(), file.upper());
      long bytes = file.bytes() + Compaction.bytes(next);
      for (int i = 0; i < NEIGHBOURS_MAX && !next.isEmpty(); i++) {
        boolean grew = false;
        for (int neighbour : new int[] {first - 1, last + 1}) {
          if (neighbour < 0 || neighbour >= files.size() || busy.contains(files.get(neighbour))) {
            continue;
          }
          int newFirst = Math.min(first, neighbour);
          int newLast = Math.max(last, neighbour);
          long newBytes = bytes + files.get(neighbour).bytes();
          List<FileMeta> newNext =
              version.overlapping(
                  level + 1, files.get(newFirst).lower(), files.get(newLast).upper());
          if (newNext.size() == next.size() && newBytes <= settings.jobBytesMax()) {
            first = newFirst;
            last = newLast;
            bytes = newBytes;
            grew = true;
          }
        }
        if (!grew) {
          break;
        }
      }
      return assemble(reason, level, level + 1, files.subList(first, last + 1));
    }

    /** The compaction of some files, or {@code null} if it cannot run beside those that run. */
    private @Nullable Compaction assemble(
        Compaction.Reason reason, int level, int outputLevel, List<FileMeta> inputs) {
      byte[] lower = Compaction.lower(inputs);
      byte[] upper = Compaction.upper(inputs);
      List<FileMeta> merged =
          level == outputLevel ? List.of() : version.overlapping(outputLevel, lower, upper);
      boolean move =
          level != outputLevel && merged.isEmpty() && canMove(inputs, level, outputLevel);
      List<FileMeta> all = new ArrayList<>(inputs);
      all.addAll(merged);
      List<FileMeta> grandparents =
          outputLevel == LAST
              ? List.of()
              : version.overlapping(outputLevel + 1, Compaction.lower(all), Compaction.upper(all));
      Compaction compaction =
          new Compaction(
              move ? Compaction.Action.MOVE : Compaction.Action.MERGE,
              reason,
              level,
              outputLevel,
              inputs,
              merged,
              grandparents);
      for (Compaction other : running) {
        if (compaction.conflictsWith(other)) {
          return null;
        }
      }
      return compaction;
    }

    /** Whether files that overlap nothing in the next level may sink as they are. */
    private boolean canMove(List<FileMeta> inputs, int level, int outputLevel) {
      if (level < compressedFrom && outputLevel >= compressedFrom) {
        // Nothing else would ever compress what arrives in the order of its keys.
        return false;
      }
      List<FileMeta> before = new ArrayList<>();
      for (FileMeta file : inputs) {
        long overlap =
            outputLevel == LAST
                ? 0
                : Compaction.bytes(
                    version.overlapping(outputLevel + 1, file.lower(), file.upper()));
        if (overlap > settings.overlapBytesMax()
            || mayShrink(file, level)
            || overlapsAny(file, before)) {
          return false;
        }
        before.add(file);
      }
      return true;
    }

    /** Whether a rewrite could leave something of the file out. */
    private boolean mayShrink(FileMeta file, int level) {
      if (file.minTime() > cutoff) {
        return false;
      }
      boolean expired = file.expiring() > 0 && file.maxExpiry() <= cutoff;
      boolean deletes = file.deletes() + file.rangeDeletes() > 0 && !olderBelow(file, level);
      return file.obsolete() > 0 || expired || deletes;
    }
  }

  private static boolean overlapsAny(FileMeta file, List<FileMeta> others) {
    for (FileMeta other : others) {
      if (file.overlaps(other.lower(), other.upper())) {
        return true;
      }
    }
    return false;
  }

  /** Whether a file ends after another begins. */
  private static boolean endsAfter(FileMeta file, FileMeta other) {
    return Bytes.compare(file.upper(), other.lower()) > 0;
  }
}
