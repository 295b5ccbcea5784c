package dev.siltstone.testkit.disk;

import java.util.IdentityHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Copies a tree of nodes with all that is pending: the disk as another process finds it. */
final class SimCopy {
  private final IdentityHashMap<SimNode, SimNode> nodes = new IdentityHashMap<>();
  private final IdentityHashMap<SimNode.Change, SimNode.Change> changes = new IdentityHashMap<>();

  SimNode.Directory of(SimNode.Directory root) {
    return (SimNode.Directory) copy(root);
  }

  private SimNode copy(SimNode node) {
    SimNode known = nodes.get(node);
    if (known != null) {
      return known;
    }
    return switch (node) {
      case SimNode.File file -> {
        SimNode.File copy = new SimNode.File(file);
        copy.links = file.links;
        nodes.put(file, copy);
        yield copy;
      }
      case SimNode.Directory directory -> {
        SimNode.Directory copy = new SimNode.Directory();
        nodes.put(directory, copy);
        copyNames(directory.durable, copy.durable);
        copyNames(directory.current, copy.current);
        for (SimNode.Change change : directory.pending) {
          copy.pending.add(copy(change));
        }
        yield copy;
      }
    };
  }

  private void copyNames(Map<String, SimNode> source, Map<String, SimNode> target) {
    source.forEach((name, node) -> target.put(name, copy(node)));
  }

  private SimNode.Change copy(SimNode.Change change) {
    SimNode.Change known = changes.get(change);
    if (known != null) {
      return known;
    }
    SimNode.Change other = change.other;
    SimNode.Change copy =
        change.copy(
            (SimNode.Directory) copy(change.owner),
            copyOrNull(change.removedNode),
            copyOrNull(change.addedNode),
            other == null || other.synced ? null : copy(other));
    changes.put(change, copy);
    return copy;
  }

  private @Nullable SimNode copyOrNull(@Nullable SimNode node) {
    return node == null ? null : copy(node);
  }
}
