package dev.siltstone.engine;

import dev.siltstone.base.time.HybridTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An ordered, crash-safe key-value store in a directory, embedded in this process. Start here.
 *
 * <p>A store holds named {@link Tree trees}; the methods of this class that take keys work on the
 * default tree. Keys are ordered as unsigned bytes. A key is 0 to 65,536 bytes, a value 0 to 2^30.
 * Arguments are copied before a method returns; returned arrays belong to the caller.
 *
 * {@snippet :
 * try (Db db = Db.open(Path.of("data"))) {
 *   db.put(bytes("user:1"), bytes("ada"));
 *   byte[] name = db.get(bytes("user:1"));
 *   try (Cursor users = db.cursor(KeyRange.prefix(bytes("user:")))) {
 *     for (boolean more = users.first(); more; more = users.next()) {
 *       show(users.key(), users.value());
 *     }
 *   }
 * }
 * }
 *
 * <p><b>Threads.</b> Safe for concurrent use by any number of platform and virtual threads. Reads
 * wait for nothing but files; writes wait for the log, and are held back when flush and compaction
 * cannot keep up ({@link DbStats#stallNanos}). An interrupt ends no call.
 *
 * <p><b>Durability.</b> See {@link Durability}. Whatever was acknowledged survives the death of the
 * process.
 *
 * <p><b>Errors.</b> {@link DbException} for what the world does. For mistakes of the program,
 * before anything is changed: {@link NullPointerException} with the name of the parameter for a
 * {@code null} where none may be, {@link IllegalArgumentException} for any other argument that
 * cannot be, {@link IllegalStateException} for a call at a moment that does not allow it. Nothing
 * else, but for what the application's own code throws that the engine calls on the caller's
 * thread.
 *
 * <p>One process at a time may have a store open for writing; any number may read it beside that
 * one, see {@link #openReadOnly}.
 */
public final class Db implements AutoCloseable {
  private final Store store;
  private final Opening opening;

  private Db(Opening opening) {
    this.opening = opening;
    this.store = opening.store();
  }

  /** Opens a store with the default options, and makes it if the directory is missing or empty. */
  public static Db open(Path directory) {
    return open(directory, Options.DEFAULT);
  }

  /** Opens a store. */
  public static Db open(Path directory, Options options) {
    return open(directory, options, Components.DEFAULT);
  }

  /**
   * Opens a store. Writes that were acknowledged before a crash are there again; the time it takes
   * is bounded by the log that was not yet flushed, not by the store.
   *
   * @throws DbException.Busy if the store is open for writing already, in this process or another;
   *     at once, and the message says which
   * @throws DbException.Corrupt if files are damaged or missing; nothing is changed then
   * @throws DbException.Unsupported if a newer version or another configuration wrote the store
   * @throws DbException.Unavailable if there is no store and none may be made, if there is none and
   *     the directory holds files of others, or on an I/O error
   */
  public static Db open(Path directory, Options options, Components components) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(components, "components");
    return new Db(Opening.forWriting(directory, options, components));
  }

  /**
   * Opens a store for reading as it is at this moment, while another process may write it. No lock
   * is taken and nothing is written; what is written later is not seen.
   */
  public static Db openReadOnly(Path directory, Options options) {
    return openReadOnly(directory, options, Components.DEFAULT);
  }

  /** Opens a store for reading as it is at this moment. */
  public static Db openReadOnly(Path directory, Options options, Components components) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(components, "components");
    return new Db(Opening.forReading(directory, options, components));
  }

  /**
   * Removes a store: all files that Siltstone has made in the directory, and the directory if it is
   * empty then. Foreign files stay. A directory without a store is left alone. If the path is a
   * symbolic link, the store that it leads to is removed, and the link and the directory stay.
   *
   * @throws DbException.Busy if the store is open for writing
   * @throws DbException.Unavailable if the path is no directory, or on an I/O error; what is left
   *     can be destroyed by another call
   */
  public static void destroy(Path directory) {
    destroy(directory, Components.DEFAULT);
  }

  /** Removes a store. */
  public static void destroy(Path directory, Components components) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(components, "components");
    Opening.destroy(directory, components);
  }

  /**
   * Reads all files of a store and says what is wrong with them, all of it: goes on after a
   * problem, and without a manifest too. A table or blob that this process cannot read, for want of
   * a compressor above all, is no problem but {@link Verification#unchecked}. Takes no lock,
   * changes nothing, and may run while another process writes the store; that may make the notes on
   * files that nobody needs inexact.
   *
   * @throws DbException.Unavailable if there is no store, or on an I/O error that is not of one
   *     file alone
   * @throws DbException.Unsupported if a newer version wrote the manifest or the log
   */
  public static Verification verify(Path directory, Components components, VerifyOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(components, "components");
    Objects.requireNonNull(options, "options");
    return Verifier.verify(directory, components, options);
  }

  /**
   * Reads all files of this store as they are on disk now and says what is wrong with them. A store
   * that is open for writing goes on as always, but removes no file of the tables checked before
   * the end. One that is open for reading looks at what is on disk now, not at what it has read.
   *
   * <p>Checked are: the manifest to its end; of every table its length, identity, the checksum and
   * structure of every block, the order of all records, that indexes lead to them, that filters
   * hold every key, that properties and manifest count what is there; every blob that a table or
   * the log refers to; the log as recovery reads it, up to where it is durable.
   *
   * <p>Takes time as reading and hashing everything does, and little memory: the manifest, a few
   * blocks, one segment of the log, the numbers of all blobs. The block cache is neither asked nor
   * filled. What is in memory only is not checked.
   *
   * @throws DbException.Closed if the store is closed meanwhile
   * @throws DbException.Unavailable on an I/O error that is not of one file alone
   */
  public Verification verify(VerifyOptions options) {
    Objects.requireNonNull(options, "options");
    return opening.verify(options);
  }

  /**
   * Makes a new store of everything that can be read of a damaged one, which is not changed. This
   * is the way to go on when {@link #open} refuses a store as {@link DbException.Corrupt}.
   *
   * <ul>
   *   <li>Of a damaged table, all blocks that are intact are taken, also where index or footer are
   *       not.
   *   <li>Of a damaged log, all batches that are provably intact are taken, before and after the
   *       damage: each as a whole, but one that is lost may lie before one that is not.
   *   <li>A value stored apart that is lost counts as deleted, so that no older one comes back.
   *   <li>Without a readable manifest, tables are put to trees by what readable edits, or they
   *       themselves, tell. Trees whose names nobody tells are named {@code lost-tree-ID}, tables
   *       whose tree nobody tells become trees {@code lost-table-NUMBER}. Trees that were dropped,
   *       or entries deleted long ago, may be back if their files were still there.
   * </ul>
   *
   * <p>All records keep their times: the newest one of a key wins, and history is kept as far as it
   * was there. Where records are lost, older ones of the same keys, deleted ones too, can show.
   * {@link RepairReport#losses} names the range of keys of each loss.
   *
   * <p>The damaged store must not be open for writing; its lock is held meanwhile. Where there is a
   * lock file that cannot be locked, on a read-only medium for example, the repair goes on without
   * and says so in {@link RepairReport#notes}. Takes time as reading and writing all of it, and the
   * space of what is saved. If it fails or the process dies, the target holds no store.
   *
   * @param target a directory that is empty or missing, and not in the damaged one
   * @param options {@link Options#memtableBytes}, {@link Options#tableBytes} and {@link
   *     Options#maxOpenFiles} count
   * @throws DbException.Busy if the damaged store is open for writing
   * @throws DbException.Unavailable if there is nothing to repair, the target is not empty, or on
   *     an I/O error while writing
   * @throws DbException.Unsupported if a newer version wrote a file, or a compressor is missing
   * @throws IllegalArgumentException if the target lies in the damaged store
   */
  public static RepairReport repair(
      Path damaged, Path target, Options options, Components components) {
    Objects.requireNonNull(damaged, "damaged");
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(components, "components");
    return new Repairer(damaged, target, options, components).run();
  }

  /** The default tree. */
  public Tree tree() {
    return store.defaultTree();
  }

  /**
   * A tree by name.
   *
   * @throws IllegalArgumentException if there is none
   */
  public Tree tree(String name) {
    Objects.requireNonNull(name, "name");
    return store.requireTree(name);
  }

  /**
   * Opens a tree with options, and makes it if there is none. The options that were given last are
   * kept with the store, durably, and hold wherever it is opened without any; in a store that is
   * open for reading they hold until it is closed. {@link TreeOptions#subtrees} must be the same
   * always.
   *
   * @param name 1 to 255 characters
   * @throws IllegalArgumentException if the options name what {@link Components} do not have
   * @throws DbException.Unavailable if other options than before cannot be written down; those of
   *     before stay in force
   */
  public Tree openTree(String name, TreeOptions options) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(options, "options");
    return store.openTree(name, options);
  }

  /**
   * Drops a tree with all its data; its files are removed as soon as no cursor reads them.
   *
   * @throws IllegalArgumentException for the default tree, and if there is none of that name
   */
  public void dropTree(String name) {
    Objects.requireNonNull(name, "name");
    store.dropTree(name);
  }

  /** The names of all trees, sorted. */
  public List<String> treeNames() {
    return store.treeNames();
  }

  /** The value of a key, or {@code null} if there is none. */
  public byte @Nullable [] get(byte[] key) {
    return tree().get(key);
  }

  /** The value of a key at a snapshot, or {@code null} if there is none. */
  public byte @Nullable [] get(byte[] key, @Nullable Snapshot snapshot) {
    return tree().get(key, snapshot);
  }

  /**
   * The values of some keys, all as of one moment: {@link Tree#getAll(List)} of the default tree.
   */
  public byte[] @Nullable [] getAll(List<byte[]> keys) {
    return tree().getAll(keys);
  }

  /** Puts a value. */
  public void put(byte[] key, byte[] value) {
    tree().put(key, value);
  }

  /** Deletes a key; nothing happens if it is absent. */
  public void delete(byte[] key) {
    tree().delete(key);
  }

  /** Deletes all keys of a range as one record; reads nothing. */
  public void deleteRange(KeyRange range) {
    tree().deleteRange(range);
  }

  /** A cursor over all keys, now. The caller closes it. */
  public Cursor cursor() {
    return tree().cursor();
  }

  /** A cursor over a range, now. The caller closes it. */
  public Cursor cursor(KeyRange range) {
    return tree().cursor(ReadOptions.DEFAULT.withRange(range));
  }

  /** An empty batch. */
  public WriteBatch newBatch() {
    return store.newBatch();
  }

  /**
   * Applies a batch as a whole, acknowledged as the store's durability says.
   *
   * @throws IllegalStateException if the batch was written already and not cleared since
   */
  public void write(WriteBatch batch) {
    write(batch, WriteOptions.DEFAULT);
  }

  /**
   * Applies a batch as a whole.
   *
   * @throws IllegalArgumentException if another store has made the batch
   * @throws IllegalStateException if the batch was written already and not cleared since
   */
  public void write(WriteBatch batch, WriteOptions options) {
    Objects.requireNonNull(batch, "batch");
    Objects.requireNonNull(options, "options");
    store.write(batch, options);
  }

  /** This moment, readable until the snapshot is closed. The caller closes it. */
  public Snapshot snapshot() {
    return store.snapshot();
  }

  /**
   * A moment of the past, as far back as {@link TreeOptions#retention} and older snapshots have
   * kept it. Every tree has a retention of its own; one that has not kept the moment refuses to be
   * read at it, with {@link DbException.Unavailable}. The caller closes it.
   *
   * @param time any moment; one that has not come yet is the present
   * @throws DbException.Unavailable if the history of that moment may be gone in every tree
   */
  public Snapshot asOf(Instant time) {
    Objects.requireNonNull(time, "time");
    // Farther away lies no hybrid time.
    long seconds = Math.clamp(time.getEpochSecond(), 0, Duration.ofDays(100_000).toSeconds());
    long micros = seconds * 1_000_000 + time.getNano() / 1_000;
    return store.asOf(HybridTime.ofUnixMicros(micros) | 0xF, time);
  }

  /** Makes every write that was acknowledged so far survive a power loss. */
  public void sync() {
    store.writes().sync();
  }

  /** Writes the memtables of all trees to files and returns when that is durable. */
  public void flush() {
    store.flushAll();
  }

  /**
   * Makes a copy of the store in a directory of its own, as it is at one moment while this call
   * runs: every batch is in it as a whole or not at all, and every one that was acknowledged before
   * the call is. It opens like any other store, has the same trees and can be read as of the same
   * past; original and copy never affect each other from then on.
   *
   * <p>The directory appears under its name complete and durable, or not at all. Until then it is
   * built beside, under that name with {@code .incomplete-checkpoint} added. What a crash leaves
   * under that name is of no use; the next checkpoint to the same target clears it away.
   *
   * <p><b>Cost.</b> Table and blob files get a second name (a hard link) and take no space until
   * the original drops them; where the file system cannot do that, they are copied. Memtables are
   * written to the copy, and besides to the original by the flush that this call brings about and
   * does not wait for. Writers wait for as long as it takes to seal a memtable, whatever the size
   * of the store.
   *
   * @param target a directory that does not exist; missing parents are made. Best on the same file
   *     system as the store
   * @throws IllegalArgumentException if the target lies below the store
   * @throws DbException.Unavailable if the target exists already, and on an I/O error; if the very
   *     last step fails, the sync that makes its name durable, the target is there in full
   * @throws DbException.Busy if another checkpoint with this target is being made
   */
  public void checkpoint(Path target) {
    Objects.requireNonNull(target, "target");
    store.checkpoint(target);
  }

  /** Flushes and compacts a range of the default tree, see {@link Tree#compact}. */
  public void compact(KeyRange range) {
    tree().compact(range);
  }

  /** Returns when no flush and no compaction is running or due. */
  public void awaitQuiet() {
    store.awaitQuiet();
  }

  /** Counters since the open, and what the store consists of now. */
  public DbStats stats() {
    return store.stats();
  }

  /** Where the store is. */
  public Path directory() {
    return store.directory();
  }

  /** The options in force. */
  public Options options() {
    return store.options();
  }

  /**
   * Ends all work and closes all files. What was acknowledged is durable then. Memtables are not
   * flushed; the next open reads them from the log. Every later call on the store, its trees,
   * cursors and snapshots throws {@link DbException.Closed}. Idempotent.
   *
   * @throws DbException.DurabilityLost if the log could not be synced; the store is closed all the
   *     same
   * @throws IllegalStateException if a listener or a compaction filter calls it on a thread of the
   *     store, which it would wait for; the store stays open
   */
  @Override
  public void close() {
    opening.close();
  }

  /** Where the store is, and whether it is open. */
  @Override
  public String toString() {
    String state = store.isWritable() ? "open" : "open for reading";
    return "store "
        + store.directory()
        + " ("
        + (store.failure().isClosed() ? "closed" : state)
        + ", "
        + store.core().trees().all().size()
        + " trees)";
  }
}
