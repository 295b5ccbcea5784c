package dev.siltstone.base.bytes;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Fixed-width integers as they stand on disk: little-endian, at any alignment. */
public final class Fixed {
  private static final VarHandle SHORT =
      MethodHandles.byteArrayViewVarHandle(short[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private Fixed() {}

  /** Reads an unsigned 16-bit number. */
  public static int getShort(byte[] source, int offset) {
    return (short) SHORT.get(source, offset) & 0xFFFF;
  }

  /** Writes the low 16 bits of {@code value}. */
  public static void putShort(byte[] target, int offset, int value) {
    SHORT.set(target, offset, (short) value);
  }

  /** Reads a 32-bit number. */
  public static int getInt(byte[] source, int offset) {
    return (int) INT.get(source, offset);
  }

  /** Writes a 32-bit number. */
  public static void putInt(byte[] target, int offset, int value) {
    INT.set(target, offset, value);
  }

  /** Reads a 64-bit number. */
  public static long getLong(byte[] source, int offset) {
    return (long) LONG.get(source, offset);
  }

  /** Writes a 64-bit number. */
  public static void putLong(byte[] target, int offset, long value) {
    LONG.set(target, offset, value);
  }
}
