package dev.siltstone.engine.file;

import org.jspecify.annotations.Nullable;

/**
 * The names of all files that a store makes. A name that {@link #parse} does not know belongs to
 * somebody else and is never touched.
 *
 * <pre>
 *   NNNNNN.table      a table file
 *   NNNNNN.blob       one large value
 *   NNNNNN.wal        a segment of the write-ahead log
 *   NNNNNN.tmp        a file that gets its true name when it is complete
 *   MANIFEST-NNNNNN   edits of the version set
 *   CURRENT-NNNNNN    an empty file: MANIFEST-NNNNNN is in force
 *   OPTIONS-NNNNNN    the options of one open, as text
 *   LOCK, LOCK.owner  who has the store open
 * </pre>
 *
 * <p>N is the file number in decimal, at least six digits, padded with zeros. All kinds take their
 * numbers from the one sequence of the store, and a number is used for one file only.
 */
public final class FileNames {
  /** The file that is locked while a store is open. */
  public static final String LOCK = "LOCK";

  /** Text that says who holds the lock. */
  public static final String LOCK_OWNER = "LOCK.owner";

  private static final int DIGITS_MIN = 6;

  /** Eighteen digits always fit a long. */
  private static final int DIGITS_MAX = 18;

  private FileNames() {}

  /** What a file is for. */
  public enum Kind {
    /** A table file. */
    TABLE("", ".table"),
    /** One large value. */
    BLOB("", ".blob"),
    /** A log segment. */
    LOG("", ".wal"),
    /** A file under construction. */
    TEMPORARY("", ".tmp"),
    /** A manifest. */
    MANIFEST("MANIFEST-", ""),
    /** The marker of the manifest in force. */
    CURRENT("CURRENT-", ""),
    /** The options of one open. */
    OPTIONS("OPTIONS-", ""),
    /** The lock file and its text; both have number 0. */
    LOCK(FileNames.LOCK, "");

    private final String prefix;
    private final String suffix;

    Kind(String prefix, String suffix) {
      this.prefix = prefix;
      this.suffix = suffix;
    }

    /** The name of the file of this kind with that number. */
    public String name(long number) {
      if (this == LOCK) {
        return FileNames.LOCK;
      }
      if (number <= 0) {
        throw new IllegalArgumentException("file number " + number);
      }
      String digits = Long.toString(number);
      return prefix + "0".repeat(Math.max(0, DIGITS_MIN - digits.length())) + digits + suffix;
    }
  }

  /**
   * A name taken apart.
   *
   * @param kind what the file is for
   * @param number its number; 0 for the lock files
   */
  public record Parsed(Kind kind, long number) {}

  /** The name of a table file. */
  public static String table(long number) {
    return Kind.TABLE.name(number);
  }

  /** The name of a blob file. */
  public static String blob(long number) {
    return Kind.BLOB.name(number);
  }

  /** The name of a log segment. */
  public static String log(long number) {
    return Kind.LOG.name(number);
  }

  /** The name of a file under construction. */
  public static String temporary(long number) {
    return Kind.TEMPORARY.name(number);
  }

  /** The name of a manifest. */
  public static String manifest(long number) {
    return Kind.MANIFEST.name(number);
  }

  /** The name of the marker of a manifest. */
  public static String current(long number) {
    return Kind.CURRENT.name(number);
  }

  /** The name of an options file. */
  public static String options(long number) {
    return Kind.OPTIONS.name(number);
  }

  /**
   * Takes a name (not a path) apart; {@code null} for a name that no store gives. Only the exact
   * form is known: {@code 7.table} is foreign.
   */
  public static @Nullable Parsed parse(String name) {
    if (name.equals(LOCK) || name.equals(LOCK_OWNER)) {
      return new Parsed(Kind.LOCK, 0);
    }
    for (Kind kind : Kind.values()) {
      if (kind != Kind.LOCK && name.startsWith(kind.prefix) && name.endsWith(kind.suffix)) {
        int end = name.length() - kind.suffix.length();
        long number = number(name, kind.prefix.length(), end);
        return number > 0 && kind.name(number).equals(name) ? new Parsed(kind, number) : null;
      }
    }
    return null;
  }

  /** The number in [from, to) of a name; 0 if that is none. */
  private static long number(String name, int from, int to) {
    if (to - from < DIGITS_MIN || to - from > DIGITS_MAX) {
      return 0;
    }
    long number = 0;
    for (int i = from; i < to; i++) {
      int digit = name.charAt(i) - '0';
      if (digit < 0 || digit > 9) {
        return 0;
      }
      number = number * 10 + digit;
    }
    return number;
  }
}
