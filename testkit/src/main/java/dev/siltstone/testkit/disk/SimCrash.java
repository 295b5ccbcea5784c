package dev.siltstone.testkit.disk;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;

/**
 * One power loss: decides which pending changes of a tree survive and builds the tree that is found
 * afterwards. The model is that of CrashMonkey and ALICE, with tears at any byte added, because a
 * sector rarely cuts a small record: Mohan et al., "Finding Crash-Consistency Bugs with Bounded
 * Black-Box Crash Testing" (OSDI 2018); Pillai et al., "All File Systems Are Not Created Equal"
 * (OSDI 2014).
 */
final class SimCrash {
  private static final int SECTOR_BYTES = 512;

  /** Odds of a change to survive in {@link CrashMode#SUBSET}; one is drawn for each crash. */
  private static final double[] ODDS = {0.05, 0.3, 0.5, 0.7, 0.95, 1};

  private final RandomGenerator random;
  private final CrashMode mode;
  private final SimNode.Directory root;
  private final double odds;

  /** In {@link CrashMode#PREFIX}: the first change that does not survive, or only in part. */
  private final long cut;

  private final IdentityHashMap<SimNode, SimNode> survivors = new IdentityHashMap<>();
  private final IdentityHashMap<SimNode.Change, Boolean> decisions = new IdentityHashMap<>();

  SimCrash(SimNode.Directory root, CrashMode mode, RandomGenerator random) {
    this.root = root;
    this.mode = mode;
    this.random = random;
    this.odds = ODDS[random.nextInt(ODDS.length)];
    this.cut = mode == CrashMode.PREFIX ? drawCut() : 0;
  }

  SimNode.Directory survivor() {
    return (SimNode.Directory) survivor(root);
  }

  private SimNode survivor(SimNode node) {
    SimNode known = survivors.get(node);
    if (known != null) {
      return known;
    }
    return switch (node) {
      case SimNode.File file -> {
        SimNode.File survivor = new SimNode.File(content(file));
        survivors.put(file, survivor);
        yield survivor;
      }
      case SimNode.Directory directory -> {
        TreeMap<String, SimNode> names = new TreeMap<>(directory.durable);
        for (SimNode.Change change : directory.pending) {
          if (survives(change)) {
            change.applyTo(names);
          }
        }
        SimNode.Directory survivor = new SimNode.Directory();
        survivors.put(directory, survivor);
        names.forEach((name, child) -> survivor.durable.put(name, survivor(child)));
        survivor.current.putAll(survivor.durable);
        yield survivor;
      }
    };
  }

  private boolean survives(SimNode.Change change) {
    return switch (mode) {
      case SYNCED_ONLY -> false;
      case PREFIX -> change.order < cut;
      case SUBSET -> {
        Boolean known = decisions.get(change);
        if (known != null) {
          yield known;
        }
        SimNode.Change other = change.other;
        boolean survives =
            (other == null || other.synced || survives(other)) && random.nextDouble() < odds;
        decisions.put(change, survives);
        yield survives;
      }
    };
  }

  private SimBytes content(SimNode.File file) {
    if (file.isClean()) {
      return file.durable;
    }
    return switch (mode) {
      case SYNCED_ONLY -> file.durable;
      case PREFIX -> prefix(file);
      case SUBSET -> subset(file);
    };
  }

  private SimBytes prefix(SimNode.File file) {
    SimBytes content = file.durable.copy();
    for (SimNode.Write write : file.pending) {
      byte[] bytes = write.bytes();
      if (write.order() < cut) {
        write.applyTo(content);
      } else if (write.order() == cut && bytes != null) {
        content.write(write.position(), bytes, 0, random.nextInt(bytes.length + 1));
      }
    }
    return content;
  }

  private SimBytes subset(SimNode.File file) {
    SimBytes content = file.durable.copy();
    long longest = content.length();
    for (SimNode.Write write : file.pending) {
      longest = Math.max(longest, write.end());
    }
    // Where bytes are lost this is what is found; kept bytes are laid over it, and the end is cut
    // off afterwards.
    long floor = content.length();
    fill(content, floor, longest);
    for (SimNode.Write write : file.pending) {
      byte[] bytes = write.bytes();
      if (bytes != null) {
        floor = Math.max(floor, scatter(write, bytes, content));
      } else if (random.nextDouble() < odds) {
        floor = write.position();
        fill(content, floor, longest);
      }
    }
    content.setLength(
        switch (random.nextInt(3)) {
          case 0 -> floor;
          case 1 -> longest;
          default -> floor + random.nextLong(longest - floor + 1);
        });
    return content;
  }

  /** Overwrites [from, to) with zeros or garbage, sector by sector. */
  private void fill(SimBytes content, long from, long to) {
    byte[] sector = new byte[SECTOR_BYTES];
    boolean garbage = random.nextBoolean();
    for (long at = from; at < to; at = sectorEnd(at, to)) {
      if (garbage && random.nextBoolean()) {
        random.nextBytes(sector);
      } else {
        Arrays.fill(sector, (byte) 0);
      }
      content.write(at, sector, 0, (int) (sectorEnd(at, to) - at));
    }
  }

  /** Writes any sectors of a write, whole or torn; returns the end of the last byte written. */
  private long scatter(SimNode.Write write, byte[] bytes, SimBytes content) {
    long written = 0;
    for (long at = write.position(); at < write.end(); ) {
      long end = sectorEnd(at, write.end());
      int offset = (int) (at - write.position());
      int length = (int) (end - at);
      if (random.nextDouble() >= odds) {
        // Lost, or torn: the start, the end or a run in the middle got through.
        int tear = random.nextInt(8);
        int first = tear == 2 || tear == 3 ? random.nextInt(length) : 0;
        int kept = tear > 3 ? 0 : tear == 2 ? length - first : random.nextInt(length - first + 1);
        offset += first;
        length = kept;
      }
      if (length > 0) {
        content.write(write.position() + offset, bytes, offset, length);
        written = write.position() + offset + length;
      }
      at = end;
    }
    return written;
  }

  private static long sectorEnd(long at, long end) {
    return Math.min(end, (at / SECTOR_BYTES + 1) * SECTOR_BYTES);
  }

  private long drawCut() {
    List<Long> orders = new ArrayList<>();
    Set<SimNode> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    collectPending(root, seen, orders);
    Collections.sort(orders);
    int kept = random.nextInt(orders.size() + 1);
    return kept == orders.size() ? Long.MAX_VALUE : orders.get(kept);
  }

  private static void collectPending(SimNode node, Set<SimNode> seen, List<Long> orders) {
    if (!seen.add(node)) {
      return;
    }
    switch (node) {
      case SimNode.File file -> file.pending.forEach(write -> orders.add(write.order()));
      case SimNode.Directory directory -> {
        directory.pending.forEach(change -> orders.add(change.order));
        directory.durable.values().forEach(child -> collectPending(child, seen, orders));
        directory.current.values().forEach(child -> collectPending(child, seen, orders));
      }
    }
  }
}
