package dev.siltstone.engine.version;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.base.io.UnsupportedFileException;
import dev.siltstone.engine.key.UpperBound;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of a version edit, which is the payload of one record of a manifest ({@link
 * dev.siltstone.engine.wal.LogFormat}). On disk, never change.
 *
 * <pre>
 *   edit    = field*
 *   field   = tag (1 byte), length (varint), value
 *
 *    1 SNAPSHOT       empty: the edit is the whole state; the first edit of a manifest, no other
 *    2 STORE_FORMAT   varint; in a snapshot
 *    3 NEXT_FILE      varint: greater than every file number in use
 *    4 NEXT_TREE      varint: greater than every tree id there ever was
 *    5 LAST_TIME      varint: greatest hybrid time in use
 *    7 LOGS           oldest segment needed, newest segment that must exist (varints)
 *    8 CREATE_TREE    id (varint), name (length, UTF-8), options (the rest)
 *    9 REMOVE_FILE    tree, level, number (varints)
 *   10 ADD_FILE       tree, level (varints), file fields
 *   11 FLUSHED        tree, time (varints)
 *   12 DROP_TREE      varint: id
 *   13 HISTORY_FLOOR  tree, hybrid time: no reader of the tree may look at an earlier time
 *  128 TREE_OPTIONS   id (varint), options (the rest), in the place of those of before
 *
 *   file field, same form; a number that is zero is left out
 *    1 number         2 bytes          3 lower (bytes)   4 upper (bytes)   5 minTime
 *    6 maxTime        7 entries        8 deletes         9 rangeDeletes   10 subtrees
 *   11 obsolete      12 expiring      13 maxExpiry      14 rawBytes
 *   15 blobs: varints, the first number and then the distance to each next one
 * </pre>
 *
 * <p>A tag from 128 on may be skipped by a reader that does not know it; an unknown tag below
 * refuses. Within an edit the order of fields is that of the list, and it is that in which a reader
 * applies them.
 */
public final class ManifestFormat {
  /** Longest name of a tree, in bytes of UTF-8. */
  public static final int NAME_BYTES_MAX = 1024;

  /** Longest options of a tree, in bytes. */
  public static final int OPTIONS_BYTES_MAX = 1 << 20;

  private static final int SNAPSHOT = 1;
  private static final int STORE_FORMAT = 2;
  private static final int NEXT_FILE = 3;
  private static final int NEXT_TREE = 4;
  private static final int LAST_TIME = 5;
  private static final int LOGS = 7;
  private static final int CREATE_TREE = 8;
  private static final int REMOVE_FILE = 9;
  private static final int ADD_FILE = 10;
  private static final int FLUSHED = 11;
  private static final int DROP_TREE = 12;
  private static final int HISTORY_FLOOR = 13;

  private static final int SKIPPABLE = 128;
  private static final int TREE_OPTIONS = 128;

  private static final int FILE_LOWER = 3;
  private static final int FILE_UPPER = 4;
  private static final int FILE_NUMBERS = 14;
  private static final int FILE_BLOBS = 15;

  private ManifestFormat() {}

  /** The bytes of an edit. */
  static byte[] encode(VersionEdit edit) {
    FieldWriter out = new FieldWriter();
    if (edit.snapshot) {
      out.bytes(SNAPSHOT, Bytes.EMPTY);
      out.number(STORE_FORMAT, StoreFormat.VERSION);
    }
    numberIfSet(out, NEXT_FILE, edit.nextFileNumber);
    if (edit.nextTreeId != null) {
      out.number(NEXT_TREE, edit.nextTreeId);
    }
    numberIfSet(out, LAST_TIME, edit.lastTime);
    if (edit.logs != null) {
      out.nested(LOGS, varints(edit.logs.oldest(), edit.logs.newest()));
    }
    for (VersionEdit.TreeCreated tree : edit.created) {
      FieldWriter value = varints(tree.id());
      value.sized(tree.name().getBytes(StandardCharsets.UTF_8));
      value.raw(tree.options());
      out.nested(CREATE_TREE, value);
    }
    for (VersionEdit.FileRemoved file : edit.removed) {
      out.nested(REMOVE_FILE, varints(file.tree(), file.level(), file.number()));
    }
    for (VersionEdit.FileAdded file : edit.added) {
      FieldWriter value = varints(file.tree(), file.level());
      encode(file.file(), value);
      out.nested(ADD_FILE, value);
    }
    for (VersionEdit.Flushed flush : edit.flushed) {
      out.nested(FLUSHED, varints(flush.tree(), flush.time()));
    }
    for (int tree : edit.dropped) {
      out.number(DROP_TREE, tree);
    }
    for (VersionEdit.HistoryFloor floor : edit.floors) {
      out.nested(HISTORY_FLOOR, varints(floor.tree(), floor.time()));
    }
    for (VersionEdit.TreeOptioned tree : edit.optioned) {
      FieldWriter value = varints(tree.id());
      value.raw(tree.options());
      out.nested(TREE_OPTIONS, value);
    }
    return out.toBytes();
  }

  private static void numberIfSet(FieldWriter out, int tag, @Nullable Long value) {
    if (value != null) {
      out.number(tag, value);
    }
  }

  private static FieldWriter varints(long... values) {
    FieldWriter out = new FieldWriter();
    for (long value : values) {
      out.varint(value);
    }
    return out;
  }

  private static void encode(FileMeta file, FieldWriter out) {
    long[] numbers = numbers(file);
    for (int tag = 1; tag <= FILE_NUMBERS; tag++) {
      if (tag == FILE_LOWER) {
        out.bytes(tag, file.lower());
      } else if (tag == FILE_UPPER) {
        out.bytes(tag, UpperBound.encode(file.upper()));
      } else if (numbers[tag] != 0) {
        out.number(tag, numbers[tag]);
      }
    }
    if (file.blobs().length > 0) {
      FieldWriter blobs = new FieldWriter();
      long before = 0;
      for (long blob : file.blobs()) {
        blobs.varint(blob - before);
        before = blob;
      }
      out.nested(FILE_BLOBS, blobs);
    }
  }

  /** The numbers of a file at the places of their tags. */
  private static long[] numbers(FileMeta file) {
    return new long[] {
      0,
      file.number(),
      file.bytes(),
      0,
      0,
      file.minTime(),
      file.maxTime(),
      file.entries(),
      file.deletes(),
      file.rangeDeletes(),
      file.subtrees(),
      file.obsolete(),
      file.expiring(),
      file.maxExpiry(),
      file.rawBytes()
    };
  }

  /**
   * Reads an edit whose checksum was verified.
   *
   * @throws CorruptFileException if the bytes are no edit nevertheless
   * @throws UnsupportedFileException for a tag or a store format that this code must know and does
   *     not
   */
  static VersionEdit decode(FieldReader in) throws CorruptFileException, UnsupportedFileException {
    VersionEdit edit = new VersionEdit();
    while (in.hasMore()) {
      int at = in.offset();
      int tag = in.tag();
      FieldReader value = in.value();
      if (!decode(edit, tag, value) && tag < SKIPPABLE) {
        throw unknown(value, "field", tag, at);
      }
    }
    return edit;
  }

  private static boolean decode(VersionEdit edit, int tag, FieldReader value)
      throws CorruptFileException, UnsupportedFileException {
    switch (tag) {
      case SNAPSHOT -> edit.snapshot = true;
      case STORE_FORMAT -> checkFormat(value);
      case NEXT_FILE -> edit.nextFileNumber = value.onlyNumber();
      case NEXT_TREE -> edit.nextTreeId = value.varint(Integer.MAX_VALUE, "next tree id");
      case LAST_TIME -> edit.lastTime = value.onlyNumber();
      case HISTORY_FLOOR -> edit.historyFloor(tree(value), value.varint());
      case LOGS -> edit.logs(value.varint(), value.varint());
      case CREATE_TREE -> edit.createTree(tree(value), name(value), value.rest());
      case REMOVE_FILE -> edit.removeFile(tree(value), level(value), value.varint());
      case ADD_FILE -> edit.addFile(tree(value), level(value), file(value));
      case FLUSHED -> edit.flushedTime(tree(value), value.varint());
      case DROP_TREE -> edit.dropTree(tree(value));
      case TREE_OPTIONS -> edit.treeOptions(tree(value), value.rest());
      default -> {
        return false;
      }
    }
    value.end();
    return true;
  }

  private static void checkFormat(FieldReader value)
      throws CorruptFileException, UnsupportedFileException {
    long format = value.onlyNumber();
    if (format < StoreFormat.OLDEST_READABLE || format > StoreFormat.VERSION) {
      throw new UnsupportedFileException(
          value.file()
              + ": store format "
              + format
              + ", known are "
              + StoreFormat.OLDEST_READABLE
              + " to "
              + StoreFormat.VERSION);
    }
  }

  private static int tree(FieldReader in) throws CorruptFileException {
    return in.varint(Integer.MAX_VALUE, "tree id");
  }

  private static int level(FieldReader in) throws CorruptFileException {
    return in.varint(Version.LEVELS - 1, "level");
  }

  private static String name(FieldReader in) throws CorruptFileException {
    return new String(in.sized(), StandardCharsets.UTF_8);
  }

  private static FileMeta file(FieldReader in)
      throws CorruptFileException, UnsupportedFileException {
    long[] numbers = new long[FILE_NUMBERS + 1];
    byte[] lower = Bytes.EMPTY;
    byte[] upper = Bytes.EMPTY;
    long[] blobs = new long[0];
    while (in.hasMore()) {
      int at = in.offset();
      int tag = in.tag();
      FieldReader value = in.value();
      if (tag == FILE_LOWER) {
        lower = value.rest();
      } else if (tag == FILE_UPPER) {
        upper = UpperBound.decode(value.rest());
      } else if (tag == FILE_BLOBS) {
        blobs = blobs(value);
      } else if (tag > 0 && tag <= FILE_NUMBERS) {
        numbers[tag] = value.onlyNumber();
      } else if (tag < SKIPPABLE) {
        throw unknown(value, "file field", tag, at);
      }
    }
    try {
      return new FileMeta(
          numbers[1],
          numbers[2],
          lower,
          upper,
          numbers[5],
          numbers[6],
          numbers[7],
          numbers[8],
          numbers[9],
          numbers[10],
          numbers[11],
          numbers[12],
          numbers[13],
          numbers[14],
          blobs);
    } catch (IllegalArgumentException e) {
      throw in.corrupt("impossible file: " + e.getMessage());
    }
  }

  private static long[] blobs(FieldReader in) throws CorruptFileException {
    FieldReader counter = in.again();
    int count = 0;
    while (counter.hasMore()) {
      counter.varint();
      count++;
    }
    long[] blobs = new long[count];
    long before = 0;
    for (int i = 0; i < count; i++) {
      blobs[i] = before + in.varint();
      if (blobs[i] <= before) {
        throw in.corrupt("blob numbers do not ascend: " + before + ", " + blobs[i]);
      }
      before = blobs[i];
    }
    return blobs;
  }

  private static UnsupportedFileException unknown(FieldReader in, String what, int tag, int at) {
    return new UnsupportedFileException(
        in.file() + ": unknown " + what + " " + tag + " at offset " + at);
  }
}
