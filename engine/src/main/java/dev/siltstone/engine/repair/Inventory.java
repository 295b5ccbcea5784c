package dev.siltstone.engine.repair;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.FileSystem;
import dev.siltstone.engine.file.FileNames;
import dev.siltstone.engine.table.Compressors;
import dev.siltstone.engine.table.TableFooter;
import dev.siltstone.engine.table.TableIdentity;
import dev.siltstone.engine.table.TableProperties;
import dev.siltstone.engine.table.TableSalvage;
import dev.siltstone.engine.table.TableTree;
import dev.siltstone.engine.version.FileMeta;
import dev.siltstone.engine.version.ManifestSalvage;
import dev.siltstone.engine.version.StoreState;
import dev.siltstone.engine.version.TreeState;
import dev.siltstone.engine.version.Version;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.engine.wal.LogKind;
import dev.siltstone.engine.wal.SegmentReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Which trees a damaged store has, and which tables they consist of.
 *
 * <p>If the manifest can be read, it says so, and only a table itself may fail. If not, every table
 * in the directory counts that no readable edit has removed. It goes to the tree that a readable
 * edit says, or else its own properties, or else to a tree of its own; a tree gets its name in the
 * same way.
 *
 * <table>
 *   <caption>Made-up names</caption>
 *   <tr><td>{@code lost-tree-ID}</td><td>a tree whose name nobody tells, or that has the name of a
 *       newer one</td></tr>
 *   <tr><td>{@code lost-table-NUMBER}</td><td>a table whose tree nobody tells</td></tr>
 * </table>
 *
 * <p>Tree 1 is the default tree in every store.
 */
final class Inventory {
  private static final int DEFAULT_ID = 1;

  private final FileSystem fileSystem;
  private final Path directory;
  private final Compressors compressors;
  private final Losses losses;
  private final String defaultName;
  private final Map<Integer, RepairTree> trees = new TreeMap<>();
  private final Set<Integer> dropped = new HashSet<>();
  private boolean exact;
  private long storeId;
  private boolean storeIdKnown;
  private long lastTime;
  private long oldestLog;
  private long newestLog;
  private int nextTreeId;

  /** Whether a table is damaged, and nobody tells of which tree. */
  private boolean anyTreeDamaged;

  private long tablesRead;
  private long tablesDamaged;

  Inventory(
      FileSystem fileSystem,
      Path directory,
      Compressors compressors,
      Losses losses,
      String defaultName) {
    this.fileSystem = fileSystem;
    this.directory = directory;
    this.compressors = compressors;
    this.losses = losses;
    this.defaultName = defaultName;
  }

  void take() throws IOException {
    VersionSet versions;
    try {
      versions = VersionSet.open(fileSystem, directory, () -> 0);
    } catch (CorruptFileException e) {
      losses.addHarmless(e, null);
      takeWithoutManifest();
      return;
    }
    exact = true;
    storeId = versions.storeId();
    storeIdKnown = true;
    StoreState state = versions.state();
    lastTime = state.lastTime();
    oldestLog = state.oldestLog();
    newestLog = state.newestLog();
    nextTreeId = state.nextTreeId();
    for (TreeState tree : state.all()) {
      RepairTree repaired = new RepairTree(tree.id(), tree.name(), tree.options());
      repaired.flushedTime = tree.flushedTime();
      repaired.historyFloor = tree.historyFloor();
      trees.put(tree.id(), repaired);
      for (int level = 0; level < Version.LEVELS; level++) {
        for (FileMeta file : tree.version().level(level)) {
          takeTable(repaired, file);
        }
      }
    }
  }

  private void takeTable(RepairTree tree, FileMeta file) throws IOException {
    Path path = directory.resolve(FileNames.table(file.number()));
    try (TableSalvage salvage = open(path, file.number(), losses.of(tree.name))) {
      addTable(tree, salvage, file.number(), file.lower(), file.upper(), file.maxTime());
      tree.damaged |= salvage.isDamaged();
    } catch (IOException e) {
      tree.damaged = true;
      tablesDamaged++;
      losses.add(Losses.damage(path, e), tree.name, file.lower(), file.upper());
    }
  }

  private TableSalvage open(Path path, long number, TableSalvage.Losses into) throws IOException {
    return TableSalvage.open(
        fileSystem, path, new TableIdentity(storeId, number), compressors, into);
  }

  private void addTable(
      RepairTree tree,
      TableSalvage salvage,
      long number,
      byte @Nullable [] lower,
      byte @Nullable [] upper,
      long maxTime) {
    tree.tables.add(new RepairTree.Source(number, lower, upper));
    if (!salvage.rangeTombstones().isEmpty()) {
      tree.tombstones.add(salvage.rangeTombstones());
    }
    tree.maxTime = Math.max(tree.maxTime, maxTime);
    tablesRead++;
    tablesDamaged += salvage.isDamaged() ? 1 : 0;
  }

  private void takeWithoutManifest() throws IOException {
    ManifestSalvage edits =
        ManifestSalvage.read(fileSystem, directory, fault -> losses.addHarmless(fault, null));
    lastTime = edits.lastTime();
    oldestLog = edits.oldestLog();
    findStoreId(edits.storeId());
    for (ManifestSalvage.Tree tree : edits.trees().values()) {
      if (edits.isDropped(tree.id())) {
        dropped.add(tree.id());
      } else {
        trees.put(tree.id(), new RepairTree(tree.id(), tree.name(), tree.options()));
      }
    }
    losses.note(
        "the manifest cannot be read to its end: trees that were dropped, and entries that were"
            + " deleted long ago, may be back if their files were still there");
    List<Long> unknown = new ArrayList<>();
    for (long number : numbers(FileNames.Kind.TABLE)) {
      if (!edits.isRemoved(number) && !takeTableOfItself(number, edits.treeOf(number))) {
        unknown.add(number);
      }
    }
    trees.computeIfAbsent(DEFAULT_ID, Inventory::unnamed);
    nameTrees();
    for (long number : unknown) {
      takeTableWithoutTree(number);
    }
  }

  private List<Long> numbers(FileNames.Kind kind) throws IOException {
    List<Long> numbers = new ArrayList<>();
    for (String name : fileSystem.list(directory)) {
      FileNames.Parsed parsed = FileNames.parse(name);
      if (parsed != null && parsed.kind() == kind) {
        numbers.add(parsed.number());
      }
    }
    numbers.sort(null);
    return numbers;
  }

  /** The id of the store: from a manifest, or else what most tables and log segments say. */
  private void findStoreId(@Nullable Long known) throws IOException {
    if (known != null) {
      storeId = known;
      storeIdKnown = true;
      return;
    }
    Map<Long, Integer> votes = new HashMap<>();
    for (long number : numbers(FileNames.Kind.TABLE)) {
      try {
        TableFooter footer =
            TableFooter.read(fileSystem, directory.resolve(FileNames.table(number)));
        votes.merge(footer.storeId(), 1, Integer::sum);
      } catch (IOException e) {
        // It has no vote.
      }
    }
    for (long number : numbers(FileNames.Kind.LOG)) {
      try {
        Path file = directory.resolve(FileNames.log(number));
        long id = SegmentReader.open(fileSystem, file, LogKind.WAL).header().storeId();
        votes.merge(id, 1, Integer::sum);
      } catch (IOException e) {
        // It has no vote.
      }
    }
    int most = 0;
    for (Map.Entry<Long, Integer> vote : votes.entrySet()) {
      if (vote.getValue() > most) {
        most = vote.getValue();
        storeId = vote.getKey();
        storeIdKnown = true;
      }
    }
  }

  /** Takes a table to the tree that an edit or its properties tell; false if none tells. */
  private boolean takeTableOfItself(long number, @Nullable Integer told) throws IOException {
    Path path = directory.resolve(FileNames.table(number));
    RepairTree known = told == null ? null : trees.get(told);
    String name = known == null ? "table " + number : known.name;
    try (TableSalvage salvage = open(path, number, losses.of(name))) {
      TableProperties properties = salvage.properties();
      TableTree own = properties == null ? null : properties.tree();
      int id = told == null ? idOf(own) : told;
      if (id == 0) {
        return false;
      }
      if (dropped.contains(id)) {
        return true;
      }
      RepairTree tree = trees.computeIfAbsent(id, Inventory::unnamed);
      if (own != null && tree.name.isEmpty()) {
        tree.name = own.name();
        tree.options = own.options();
      }
      addTable(
          tree,
          salvage,
          number,
          properties == null ? null : properties.lower(),
          properties == null ? null : properties.upper(),
          properties == null ? 0 : properties.maxTime());
      tree.damaged |= salvage.isDamaged();
    } catch (IOException e) {
      tablesDamaged++;
      losses.add(Losses.damage(path, e), name, null, null);
      if (known == null) {
        anyTreeDamaged = true;
      } else {
        known.damaged = true;
      }
    }
    return true;
  }

  private static int idOf(@Nullable TableTree tree) {
    return tree == null ? 0 : tree.id();
  }

  private static RepairTree unnamed(int id) {
    return new RepairTree(id, "", Bytes.EMPTY);
  }

  private void takeTableWithoutTree(long number) throws IOException {
    int id = newId();
    String name = "lost-table-" + FileNames.table(number).replace(".table", "");
    RepairTree tree = new RepairTree(id, name, Bytes.EMPTY);
    trees.put(id, tree);
    losses.note("tree '" + name + "': nobody tells which tree this table belongs to");
    anyTreeDamaged = true;
    Path path = directory.resolve(FileNames.table(number));
    try (TableSalvage salvage = open(path, number, TableSalvage.Losses.NONE)) {
      TableProperties properties = salvage.properties();
      addTable(
          tree,
          salvage,
          number,
          properties == null ? null : properties.lower(),
          properties == null ? null : properties.upper(),
          properties == null ? 0 : properties.maxTime());
    }
  }

  private int newId() {
    int greatest = DEFAULT_ID;
    for (int id : trees.keySet()) {
      greatest = Math.max(greatest, id);
    }
    return greatest + 1;
  }

  /** Gives every tree a name of its own; of two that claim one, the newer tree has it. */
  private void nameTrees() {
    Map<String, RepairTree> byName = new HashMap<>();
    for (RepairTree tree : trees.values()) {
      if (tree.name.isEmpty()) {
        tree.name = tree.id == DEFAULT_ID ? defaultName : lostName(tree.id);
      }
      RepairTree older = byName.put(tree.name, tree);
      if (older != null) {
        losses.note(
            "tree '" + lostName(older.id) + "': an older tree of the name '" + older.name + "'");
        older.name = lostName(older.id);
      }
    }
  }

  private static String lostName(int id) {
    return "lost-tree-" + id;
  }

  /**
   * The tree of a record of the log; {@code null} if it was dropped or never was.
   *
   * @throws IOException if there never was such a tree
   */
  @Nullable RepairTree treeOf(int id) throws IOException {
    RepairTree tree = trees.get(id);
    if (tree != null || dropped.contains(id)) {
      return tree;
    }
    if (exact) {
      if (id >= nextTreeId) {
        throw new IOException("a record of tree " + id + ", which never was");
      }
      return null;
    }
    RepairTree made =
        new RepairTree(id, id == DEFAULT_ID ? defaultName : lostName(id), Bytes.EMPTY);
    if (id != DEFAULT_ID) {
      losses.note("tree '" + made.name + "': nobody tells its name and its options");
    }
    trees.put(id, made);
    return made;
  }

  /**
   * Up to which time all records of a tree are in its tables. A flush takes a tree's oldest records
   * first, so that is the greatest time of a table, if no table is missed.
   */
  long flushedTime(RepairTree tree) {
    if (tree.damaged || anyTreeDamaged) {
      return 0;
    }
    return exact ? tree.flushedTime : tree.maxTime;
  }

  /** All trees by id. */
  Map<Integer, RepairTree> trees() {
    return trees;
  }

  /** Whether the manifest was read to its end. */
  boolean isExact() {
    return exact;
  }

  long storeId() {
    return storeId;
  }

  /** Whether any file has told the id of the store. */
  boolean isStoreIdKnown() {
    return storeIdKnown;
  }

  long lastTime() {
    return lastTime;
  }

  long oldestLog() {
    return oldestLog;
  }

  long newestLog() {
    return newestLog;
  }

  long tablesRead() {
    return tablesRead;
  }

  long tablesDamaged() {
    return tablesDamaged;
  }
}
