package dev.siltstone.engine;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The trees of a store by id and by name. Safe for concurrent use; ids are never used twice. */
final class Trees {
  /** The tree that exists in every store. */
  static final String DEFAULT_NAME = "default";

  private final ConcurrentHashMap<Integer, OpenTree> byId = new ConcurrentHashMap<>();

  /** The default tree and the last one used, so that most lookups hash nothing. */
  private volatile @Nullable OpenTree recent;

  void add(OpenTree tree) {
    byId.put(tree.id(), tree);
  }

  void remove(OpenTree tree) {
    byId.remove(tree.id());
    recent = null;
  }

  /** The tree of an id, or {@code null} if it was dropped. */
  @Nullable OpenTree find(int id) {
    OpenTree last = recent;
    if (last != null && last.id() == id) {
      return last;
    }
    OpenTree tree = byId.get(id);
    recent = tree;
    return tree;
  }

  /** The tree of a name, or {@code null}. */
  @Nullable OpenTree find(String name) {
    for (OpenTree tree : byId.values()) {
      if (tree.name().equals(name)) {
        return tree;
      }
    }
    return null;
  }

  /** All trees, in no order. */
  Collection<OpenTree> all() {
    return byId.values();
  }

  /** All names, sorted. */
  List<String> names() {
    Map<String, OpenTree> byName = new TreeMap<>();
    for (OpenTree tree : byId.values()) {
      byName.put(tree.name(), tree);
    }
    return List.copyOf(byName.keySet());
  }
}
