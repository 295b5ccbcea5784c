package dev.siltstone.testkit.disk;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a name of a {@link SimFileSystem} stands for. Guarded by the file system's lock. */
abstract sealed class SimNode {

  /** A file: what is durable, what is seen, and the changes that lead from one to the other. */
  static final class File extends SimNode {
    /** What a power loss leaves at least. Never changed, only replaced, so it may be shared. */
    SimBytes durable;

    /** What readers see; the same object as {@link #durable} while nothing was written since. */
    SimBytes current;

    /** Changes not synced, in order. */
    final List<Write> pending;

    /** A failed sync took changes away: {@link #current} shows bytes that can never be durable. */
    boolean diverged;

    /** Names in current directories. */
    int links;

    File() {
      this(new SimBytes());
    }

    File(SimBytes content) {
      this.durable = content;
      this.current = content;
      this.pending = new ArrayList<>();
    }

    /** A copy that shares nothing that changes. */
    File(File other) {
      this.durable = other.durable;
      this.current = other.current == other.durable ? other.durable : other.current.copy();
      this.pending = new ArrayList<>(other.pending);
      this.diverged = other.diverged;
    }

    boolean isClean() {
      return pending.isEmpty();
    }

    void change(Write write) {
      if (current == durable) {
        current = durable.copy();
      }
      write.applyTo(current);
      pending.add(write);
    }

    void sync() {
      if (pending.isEmpty()) {
        return;
      }
      if (diverged) {
        SimBytes synced = durable.copy();
        for (Write write : pending) {
          write.applyTo(synced);
        }
        durable = synced;
      } else {
        durable = current;
      }
      pending.clear();
    }

    /** Makes durable what was written to a range, and leaves the rest pending. */
    void syncRange(long from, long to) {
      SimBytes synced = durable.copy();
      List<Write> left = new ArrayList<>();
      for (Write write : pending) {
        write.split(from, to, synced, left);
      }
      durable = synced;
      pending.clear();
      pending.addAll(left);
      if (pending.isEmpty() && !diverged) {
        current = durable;
      }
    }

    /** A sync failed: the changes since the last one stay visible, but nothing will write them. */
    void losePending() {
      if (!pending.isEmpty()) {
        pending.clear();
        diverged = true;
      }
    }
  }

  /**
   * A change of a file.
   *
   * @param order among all changes of the disk
   * @param position where the bytes start; the new length if there are no bytes
   * @param bytes never changed; null to set the length
   */
  record Write(long order, long position, byte @Nullable [] bytes) {

    void applyTo(SimBytes target) {
      if (bytes == null) {
        target.setLength(position);
      } else {
        target.write(position, bytes, 0, bytes.length);
      }
    }

    long end() {
      return bytes == null ? position : position + bytes.length;
    }

    /** Writes what lies in [from, to) to {@code inside} and adds the rest to {@code outside}. */
    void split(long from, long to, SimBytes inside, List<Write> outside) {
      if (bytes == null) {
        applyTo(inside);
        return;
      }
      int start = Math.clamp(from - position, 0, bytes.length);
      int end = Math.clamp(to - position, start, bytes.length);
      inside.write(position + start, bytes, start, end - start);
      if (start > 0) {
        outside.add(part(0, start));
      }
      if (end < bytes.length) {
        outside.add(part(end, bytes.length));
      }
    }

    private Write part(int start, int end) {
      assert bytes != null;
      byte[] part = new byte[end - start];
      System.arraycopy(bytes, start, part, 0, part.length);
      return new Write(order, position + start, part);
    }
  }

  /** A directory. */
  static final class Directory extends SimNode {
    final TreeMap<String, SimNode> durable;
    final TreeMap<String, SimNode> current;

    /** Changes not synced, in order. */
    final List<Change> pending = new ArrayList<>();

    Directory() {
      this.durable = new TreeMap<>();
      this.current = new TreeMap<>();
    }

    void change(Change change) {
      change.applyTo(current);
      pending.add(change);
    }

    void sync() {
      for (Change change : pending) {
        if (change.other != null && !change.other.synced) {
          // Part of a rename from here to another directory: the file must be in one of them.
          change.other.owner.sync();
        }
        change.applyTo(durable);
        change.synced = true;
      }
      pending.clear();
    }
  }

  /** A change of one directory: a name goes, a name comes, or both at once. */
  static final class Change {
    final long order;
    final Directory owner;
    final @Nullable String removed;
    final @Nullable SimNode removedNode;
    final @Nullable String added;
    final @Nullable SimNode addedNode;

    /** The adding half of a rename between directories, without which this may not survive. */
    final @Nullable Change other;

    boolean synced;

    private Change(
        long order,
        Directory owner,
        @Nullable String removed,
        @Nullable SimNode removedNode,
        @Nullable String added,
        @Nullable SimNode addedNode,
        @Nullable Change other) {
      this.order = order;
      this.owner = owner;
      this.removed = removed;
      this.removedNode = removedNode;
      this.added = added;
      this.addedNode = addedNode;
      this.other = other;
    }

    static Change add(long order, Directory owner, String name, SimNode node) {
      return new Change(order, owner, null, null, name, node, null);
    }

    static Change remove(long order, Directory owner, String name, @Nullable Change other) {
      return new Change(order, owner, name, null, null, null, other);
    }

    static Change rename(long order, Directory owner, String from, String to, SimNode node) {
      return new Change(order, owner, from, node, to, node, null);
    }

    /** The same change with nodes and directories of a copied tree. */
    Change copy(
        Directory newOwner,
        @Nullable SimNode newRemoved,
        @Nullable SimNode newAdded,
        @Nullable Change newOther) {
      return new Change(order, newOwner, removed, newRemoved, added, newAdded, newOther);
    }

    void applyTo(Map<String, SimNode> names) {
      // A rename that survives without the creation of its source finds another file there, or
      // none, and leaves it alone.
      if (removed != null && (removedNode == null || names.get(removed) == removedNode)) {
        names.remove(removed);
      }
      if (added != null && addedNode != null) {
        names.put(added, addedNode);
      }
    }
  }
}
