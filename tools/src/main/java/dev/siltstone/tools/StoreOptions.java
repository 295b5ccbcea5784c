package dev.siltstone.tools;

import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.OsFileSystem;
import dev.siltstone.engine.Components;
import dev.siltstone.engine.Db;
import dev.siltstone.engine.DbException;
import dev.siltstone.engine.Options;
import dev.siltstone.engine.Tree;
import dev.siltstone.engine.TreeOptions;
import dev.siltstone.engine.version.VersionSet;
import dev.siltstone.zstd.ZstdCompressor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Which store and which tree a command works on, and how it opens them. */
final class StoreOptions {
  /** Few writes need no long log, which would be written full of zeros first. */
  private static final long FEW_LOG_BYTES = 1 << 20;

  /** Every command reads the log again, so it is not left longer than this. */
  private static final long LOG_BYTES_MAX = 64 << 20;

  private static final int TREE_NAME_CHARS_MAX = 255;

  /** All that a store may have been written with. */
  static final Components COMPONENTS =
      Components.DEFAULT.withCompressors(List.of(new ZstdCompressor()));

  @Parameters(index = "0", paramLabel = "DIR", description = "The directory of the store.")
  private Path directory = Path.of("");

  @Option(
      names = "--tree",
      paramLabel = "NAME",
      description = "The tree to work on. Default: the default tree.")
  private @Nullable String tree;

  Path directory() {
    return directory;
  }

  /** The name of the tree that was asked for, or {@code null}. */
  @Nullable String treeName() {
    return tree;
  }

  /** Opens the store for reading: without a lock, beside whoever writes it. */
  Db openForReading() throws IOException {
    requireUsable(false);
    return Db.openReadOnly(directory, Options.DEFAULT, COMPONENTS);
  }

  /**
   * Opens the store for a few writes.
   *
   * @param create whether to make the store if there is none
   */
  Db openForFewWrites(boolean create) throws IOException {
    return open(create, Options.builder().logSegmentBytes(FEW_LOG_BYTES));
  }

  /**
   * Opens the store for many writes.
   *
   * @param create whether to make the store if there is none
   */
  Db openForManyWrites(boolean create) throws IOException {
    return open(create, Options.builder());
  }

  /** Ends a command that wrote a little: spares the next ones the reading of a log grown long. */
  static void settle(Db db) {
    if (db.stats().logLiveBytes() >= LOG_BYTES_MAX) {
      db.flush();
    }
  }

  private Db open(boolean create, Options.Builder options) throws IOException {
    requireUsable(create);
    try {
      return Db.open(directory, options.createIfMissing(create).build(), COMPONENTS);
    } catch (DbException.Unavailable e) {
      // Without a cause nothing has failed: no store may be made there.
      throw e.getCause() == null ? CommandException.usage(String.valueOf(e.getMessage())) : e;
    }
  }

  /** The tree that was asked for. */
  Tree tree(Db db) {
    if (tree == null) {
      return db.tree();
    }
    if (!db.treeNames().contains(tree)) {
      throw CommandException.usage(
          directory
              + " has no tree '"
              + tree
              + "'; its trees: "
              + String.join(", ", db.treeNames()));
    }
    return db.tree(tree);
  }

  /** The names of the tree that was asked for, or of all trees if none was. */
  List<String> treeNames(Db db) {
    return tree == null ? db.treeNames() : List.of(tree(db).name());
  }

  /** Whether the directory holds a store. */
  boolean hasStore() throws IOException {
    return hasStore(directory);
  }

  private static boolean hasStore(Path directory) throws IOException {
    return Files.isDirectory(directory) && VersionSet.exists(new OsFileSystem(), directory);
  }

  /** The tree that was asked for; made if there is none and {@code create} says so. */
  Tree tree(Db db, CreateOptions create) {
    String name = tree;
    boolean make = create.isSet() && name != null && !db.treeNames().contains(name);
    Tree there = make && name != null ? db.openTree(name, TreeOptions.DEFAULT) : tree(db);
    String compression = create.compression();
    return compression == null
        ? there
        : db.openTree(there.name(), there.options().withCompression(compression));
  }

  /**
   * Refuses what cannot become a store and a tree, before anything is made.
   *
   * @param create whether they may be missing
   */
  void requireUsable(boolean create) throws IOException {
    requireDirectory(directory);
    if (tree != null && (tree.isEmpty() || tree.length() > TREE_NAME_CHARS_MAX)) {
      throw CommandException.usage(
          "--tree has a name of "
              + tree.length()
              + " characters; it takes 1 to "
              + TREE_NAME_CHARS_MAX
              + " characters");
    }
    if (!create) {
      requireStore(directory, hasStore());
    }
  }

  /**
   * Refuses a path where a directory cannot be, since a file or a link that leads nowhere is at it
   * or above it.
   */
  static void requireDirectory(Path directory) {
    for (Path at = directory.toAbsolutePath().normalize(); at != null; at = at.getParent()) {
      if (Files.exists(at)) {
        if (!Files.isDirectory(at)) {
          throw CommandException.usage(
              at + " is a file, not the directory of a store; name another directory");
        }
        return;
      }
      if (Files.isSymbolicLink(at)) {
        throw CommandException.usage(
            at + " is a symbolic link that leads nowhere; make what it leads to, or remove it");
      }
    }
  }

  /** Refuses a directory that holds neither a store nor what is left of one. */
  static void requireRemains(Path directory) throws IOException {
    requireDirectory(directory);
    boolean there;
    try {
      there = hasStore(directory);
    } catch (CorruptFileException e) {
      there = true;
    }
    requireStore(directory, there);
  }

  private static void requireStore(Path directory, boolean there) {
    if (!there) {
      throw CommandException.usage(
          (Files.exists(directory) ? "no store in " : "no directory ")
              + directory.toAbsolutePath().normalize()
              + "; check the path, or make a store with 'siltstone put' or 'load' and --create");
    }
  }
}
