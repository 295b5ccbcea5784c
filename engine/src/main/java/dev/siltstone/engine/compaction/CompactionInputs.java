package dev.siltstone.engine.compaction;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.iter.ConcatIterator;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.iter.MergingIterator;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.version.FileMeta;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Opens what a {@link Compaction} merges, as a {@link CompactionJob} wants it. */
public final class CompactionInputs {

  /** Opens table files. */
  public interface Files {
    /** A new iterator over all records of a file; the caller closes it. */
    InternalIterator records(FileMeta file) throws IOException;

    /** The range deletes of a file. */
    RangeTombstones rangeTombstones(FileMeta file) throws IOException;
  }

  private CompactionInputs() {}

  /**
   * All records of inputs and targets, merged. Files of level 0 are opened at once, those of other
   * levels one after another as the iterator comes to them. The caller closes the iterator.
   */
  public static InternalIterator records(Compaction compaction, Files files) throws IOException {
    List<InternalIterator> sources = new ArrayList<>();
    boolean done = false;
    try {
      if (compaction.level() == 0) {
        for (FileMeta file : compaction.inputs()) {
          sources.add(files.records(file));
        }
      } else {
        sources.add(concat(compaction.inputs(), files));
      }
      if (!compaction.targets().isEmpty()) {
        sources.add(concat(compaction.targets(), files));
      }
      done = true;
    } finally {
      if (!done) {
        sources.forEach(InternalIterator::close);
      }
    }
    return MergingIterator.of(sources.toArray(InternalIterator[]::new));
  }

  /**
   * The range deletes of inputs and targets that matter.
   *
   * @param cutoff no reader stands before this time, now or ever
   */
  public static FragmentedRangeTombstones rangeTombstones(
      Compaction compaction, Files files, long cutoff) throws IOException {
    List<RangeTombstones> sources = new ArrayList<>();
    for (FileMeta file : compaction.files()) {
      if (file.rangeDeletes() > 0) {
        sources.add(files.rangeTombstones(file));
      }
    }
    return FragmentedRangeTombstones.union(sources, cutoff);
  }

  private static InternalIterator concat(List<FileMeta> inputs, Files files) {
    return new ConcatIterator(
        inputs.size(),
        (key, offset, length) -> find(inputs, key, offset, length),
        index -> files.records(inputs.get(index)));
  }

  private static int find(List<FileMeta> files, byte[] key, int offset, int length) {
    int index = 0;
    while (index < files.size()) {
      byte[] upper = files.get(index).upper();
      if (Bytes.compare(upper, 0, upper.length, key, offset, length) > 0) {
        break;
      }
      index++;
    }
    return index;
  }
}
