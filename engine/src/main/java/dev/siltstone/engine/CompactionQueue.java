package dev.siltstone.engine;

import dev.siltstone.engine.compaction.Compaction;
import dev.siltstone.engine.compaction.ManualCompaction;
import dev.siltstone.engine.compaction.Placement;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Which compactions are under way, in which trees none may be, which ranges somebody wants
 * compacted, and which compaction is next.
 *
 * <p>Guarded by the lock of {@link BackgroundWork}.
 */
final class CompactionQueue {
  private final Trees trees;
  private final BackgroundWork.Jobs jobs;
  private final Consumer<Throwable> failed;
  private final Map<OpenTree, List<Compaction>> running = new HashMap<>();

  /** Trees in which a compaction has met what lasts, with what it met. */
  private final Map<OpenTree, IOException> suspended = new HashMap<>();

  private final List<Manual> manuals = new ArrayList<>();

  /** What somebody waits for. */
  record Manual(OpenTree tree, ManualCompaction state) {}

  /** A compaction that can begin. */
  record Due(OpenTree tree, Compaction compaction) {}

  /**
   * An empty queue.
   *
   * @param failed is told what a picker throws; whoever happens to ask has nothing to do with it
   */
  CompactionQueue(Trees trees, BackgroundWork.Jobs jobs, Consumer<Throwable> failed) {
    this.trees = trees;
    this.jobs = jobs;
    this.failed = failed;
  }

  /** The most urgent compaction of all trees, or {@code null}. */
  @Nullable Due mostUrgent() {
    Due best = null;
    for (OpenTree tree : trees.all()) {
      if (isClosedTo(tree)) {
        continue;
      }
      Compaction next = pick(tree, null);
      if (next != null && (best == null || next.reason().compareTo(best.compaction.reason()) < 0)) {
        best = new Due(tree, next);
      }
    }
    return best;
  }

  /**
   * The next step of what somebody waits for, or {@code null}: then it is done, as {@link
   * ManualCompaction#isDone} tells, or nothing can begin now.
   */
  @Nullable Due next(Manual manual) {
    Compaction next = pick(manual.tree, manual.state);
    return next == null ? null : new Due(manual.tree, next);
  }

  @SuppressWarnings("CatchingUnchecked") // Told to whom it concerns.
  private @Nullable Compaction pick(OpenTree tree, @Nullable ManualCompaction manual) {
    try {
      return manual == null ? jobs.pick(tree, of(tree)) : jobs.pick(tree, manual, of(tree));
    } catch (RuntimeException | Error e) {
      failed.accept(e);
      return null;
    }
  }

  /** Whether no compaction of a tree may begin. */
  boolean isClosedTo(OpenTree tree) {
    return tree.isDropped() || suspended.containsKey(tree);
  }

  private List<Compaction> of(OpenTree tree) {
    return running.getOrDefault(tree, List.of());
  }

  /** Whether compactions of a tree are under way, or places kept for files. */
  boolean isRunning(OpenTree tree) {
    return !of(tree).isEmpty();
  }

  void begin(Due due) {
    running.computeIfAbsent(due.tree, _ -> new ArrayList<>()).add(due.compaction);
  }

  void end(OpenTree tree, List<Compaction> compactions) {
    List<Compaction> own = running.get(tree);
    if (own != null) {
      own.removeAll(compactions);
      if (own.isEmpty()) {
        running.remove(tree);
      }
    }
  }

  /** Finds the levels for files that are newer than all of a tree, and keeps them until the end. */
  List<Compaction> place(OpenTree tree, List<FileMeta> files) {
    List<Compaction> places = new ArrayList<>();
    List<Compaction> own = running.computeIfAbsent(tree, _ -> new ArrayList<>());
    Version version = tree.view().version();
    for (FileMeta file : files) {
      places.add(Placement.of(file, version, own));
    }
    own.addAll(places);
    return places;
  }

  /** Lets no compaction of a tree begin any more. */
  void suspend(OpenTree tree, IOException cause) {
    suspended.put(tree, cause);
    tree.setSuspended();
  }

  /** Why no compaction of a tree begins any more, or {@code null}. */
  @Nullable IOException suspension(OpenTree tree) {
    return suspended.get(tree);
  }

  /** A tree was dropped, and nothing of it runs. */
  void forget(OpenTree tree) {
    running.remove(tree);
    suspended.remove(tree);
  }

  void add(Manual manual) {
    manuals.add(manual);
  }

  void remove(Manual manual) {
    manuals.remove(manual);
  }

  boolean contains(Manual manual) {
    return manuals.contains(manual);
  }

  /** What somebody waits for now, oldest first. */
  List<Manual> manuals() {
    return List.copyOf(manuals);
  }
}
