package dev.siltstone.engine;

import dev.siltstone.base.time.HybridTime;
import dev.siltstone.engine.cache.BlockCache;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.memtable.MemTable;
import dev.siltstone.engine.read.ReadView;
import dev.siltstone.engine.table.TableProperties;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.Version;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts the statistics of a store together. */
final class StoreStats {
  private StoreStats() {}

  static DbStats of(Store.Core core, @Nullable Writes writes) {
    Counters counters = core.counters();
    List<TreeStats> trees = new ArrayList<>();
    long memtableBytes = 0;
    DbStats.Gaps gaps = DbStats.Gaps.NONE;
    for (OpenTree tree : core.trees().all()) {
      gaps = gaps.plus(tree.gaps());
      TreeStats stats = of(tree);
      trees.add(stats);
      memtableBytes += stats.memtableBytes();
    }
    trees.sort(Comparator.comparing(TreeStats::name));
    BlockCache.Stats cache = core.cache().stats();
    return new DbStats(
        counters.gets.sum(),
        counters.getHits.sum(),
        counters.cursorsOpened.sum(),
        counters.steppedOver.sum(),
        gaps,
        counters.batches.sum(),
        counters.records.sum(),
        counters.logBytes.sum(),
        counters.logSyncs.sum(),
        counters.flushes.sum(),
        counters.flushBytes.sum(),
        counters.compactions.sum(),
        counters.compactionBytesIn.sum(),
        counters.compactionBytesOut.sum(),
        counters.filesMoved.sum(),
        counters.filesDropped.sum(),
        counters.entriesDropped.sum(),
        counters.stalls(),
        cache.hits(),
        cache.misses(),
        cache.bytes(),
        memtableBytes,
        core.options().memoryBytes(),
        writes == null ? 0 : writes.logBytes(),
        counters.cursorsOpened.sum() - counters.cursorsClosed.sum(),
        core.snapshots().count(),
        trees);
  }

  static TreeStats of(OpenTree tree) {
    ReadView view = tree.view();
    long bytes = view.active().bytes();
    long entries = view.active().entries();
    for (MemTable memtable : view.sealed()) {
      bytes += memtable.bytes();
      entries += memtable.entries();
    }
    List<TreeStats.LevelStats> levels = new ArrayList<>();
    for (int level = 0; level < Version.LEVELS; level++) {
      levels.add(level(level, view.version().level(level)));
    }
    return new TreeStats(tree.name(), bytes, entries, view.sealed().size(), levels);
  }

  private static TreeStats.LevelStats level(int level, List<FileMeta> files) {
    long bytes = 0;
    long rawBytes = 0;
    long entries = 0;
    long deletes = 0;
    long rangeDeletes = 0;
    long obsolete = 0;
    long expiring = 0;
    for (FileMeta file : files) {
      bytes += file.bytes();
      rawBytes += file.rawBytes();
      entries += file.entries();
      deletes += file.deletes();
      rangeDeletes += file.rangeDeletes();
      obsolete += file.obsolete();
      expiring += file.expiring();
    }
    return new TreeStats.LevelStats(
        level, files.size(), bytes, rawBytes, entries, deletes, rangeDeletes, obsolete, expiring);
  }

  static TableFile of(int level, FileMeta file, TableProperties properties) {
    TableProperties.Layout layout = properties.layout();
    return new TableFile(
        FileNames.table(file.number()),
        level,
        layout.level(),
        file.bytes(),
        KeyRange.of(file.lower().clone(), file.upper().clone()),
        instant(file.minTime()),
        instant(file.maxTime()),
        instant(layout.creationTime()),
        new TableFile.Records(
            file.entries(),
            file.deletes(),
            file.rangeDeletes(),
            file.subtrees(),
            file.obsolete(),
            file.expiring(),
            file.blobs().length),
        file.maxExpiry() == 0 ? null : instant(file.maxExpiry()),
        new TableFile.Layout(
            file.rawBytes(),
            layout.dataBlocks(),
            layout.dataRawBytes(),
            layout.dataBytes(),
            layout.indexBytes(),
            layout.filterBytes()));
  }

  private static Instant instant(long hybridTime) {
    return Instant.EPOCH.plus(HybridTime.toUnixMicros(hybridTime), ChronoUnit.MICROS);
  }
}
