package dev.siltstone.engine;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.compaction.CompactionPicker;
import dev.siltstone.engine.iter.FragmentedRangeTombstones;
import dev.siltstone.engine.iter.RangeTombstones;
import dev.siltstone.engine.table.TableCache;
import dev.siltstone.engine.table.TableReader;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;

/**
 * Whether one range delete of a newer file covers all of an older one. Touches no files: what was
 * not read yet counts as unknown, and is noted to be read.
 */
final class RangeDeleteCoverage implements CompactionPicker.Coverage {
  private final Version version;
  private final TableCache tables;
  private final UnreadRangeDeletes unread;

  RangeDeleteCoverage(Version version, TableCache tables, UnreadRangeDeletes unread) {
    this.version = version;
    this.tables = tables;
    this.unread = unread;
  }

  @Override
  public boolean covers(FileMeta file, int level, long cutoff) {
    for (int above = 0; above <= level; above++) {
      for (FileMeta newer : version.level(above)) {
        if (newer.equals(file)) {
          return false;
        }
        boolean candidate =
            (above < level || level == 0)
                && newer.rangeDeletes() > 0
                && newer.maxTime() > file.maxTime()
                && newer.overlaps(file.lower(), file.upper());
        if (candidate && covers(newer, file, cutoff)) {
          return true;
        }
      }
    }
    return false;
  }

  private boolean covers(FileMeta newer, FileMeta file, long cutoff) {
    TableReader reader = tables.ifOpen(newer.number());
    RangeTombstones all = reader == null ? null : reader.knownRangeTombstones();
    if (all == null) {
      unread.want(newer);
      return false;
    }
    if (!(all instanceof FragmentedRangeTombstones fragments)) {
      return false;
    }
    byte[] lower = file.lower();
    int index = fragments.find(lower, 0, lower.length);
    if (index < 0
        || index >= fragments.size()
        || Bytes.compare(fragments.lower(index), lower) > 0
        || Bytes.compare(fragments.upper(index), file.upper()) < 0) {
      return false;
    }
    for (long time : fragments.times(index)) {
      if (time <= cutoff && time > file.maxTime()) {
        return true;
      }
    }
    return false;
  }
}
