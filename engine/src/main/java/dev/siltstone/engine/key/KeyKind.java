package dev.siltstone.engine.key;

/**
 * The kind byte of a record: a base in the low four bits and flags above. On disk, never change.
 *
 * <pre>
 *   base   1 PUT            the value is live from the record's time on
 *          2 DELETE         nothing is live from the record's time on
 *          3 RANGE_DELETE   key = lower bound, value = upper bound (exclusive); hides what is older
 *   flag 0x10 EXPIRES       the value starts with its expiry: 8 bytes little-endian hybrid time;
 *                           a reader at that time or later sees a delete of the same shape
 *        0x20 SUBTREE       also hides every record with a smaller time whose key has this key as a
 *                           proper byte prefix; records of the same time survive
 *        0x40 SEPARATED     the value (after the expiry, if any) is a reference to a blob file
 * </pre>
 *
 * <p>EXPIRES and SEPARATED go with PUT only; SUBTREE with PUT or DELETE.
 */
public final class KeyKind {
  /** A value. */
  public static final int PUT = 1;

  /** A tombstone. */
  public static final int DELETE = 2;

  /** A range tombstone. */
  public static final int RANGE_DELETE = 3;

  /** Flag: the value starts with its expiry. */
  public static final int EXPIRES = 0x10;

  /** Flag: the record also hides everything older below its key. */
  public static final int SUBTREE = 0x20;

  /** Flag: the value is a blob reference. */
  public static final int SEPARATED = 0x40;

  /** Bytes of an expiry at the front of a value. */
  public static final int EXPIRY_BYTES = Long.BYTES;

  private static final int BASE_MASK = 0x0F;

  private KeyKind() {}

  /** The base of a kind: {@link #PUT}, {@link #DELETE} or {@link #RANGE_DELETE}. */
  public static int base(int kind) {
    return kind & BASE_MASK;
  }

  /** Whether the base is PUT. */
  public static boolean isPut(int kind) {
    return (kind & BASE_MASK) == PUT;
  }

  /** Whether the record hides what lies below its key. */
  public static boolean isSubtree(int kind) {
    return (kind & SUBTREE) != 0;
  }

  /** Whether the value starts with an expiry. */
  public static boolean expires(int kind) {
    return (kind & EXPIRES) != 0;
  }

  /** Whether the value is a blob reference. */
  public static boolean isSeparated(int kind) {
    return (kind & SEPARATED) != 0;
  }

  /** Whether this version of Siltstone can read a record of that kind. */
  public static boolean isKnown(int kind) {
    return switch (kind & BASE_MASK) {
      case PUT -> (kind & ~(BASE_MASK | EXPIRES | SUBTREE | SEPARATED)) == 0;
      case DELETE -> (kind & ~(BASE_MASK | SUBTREE)) == 0;
      case RANGE_DELETE -> kind == RANGE_DELETE;
      default -> false;
    };
  }
}
