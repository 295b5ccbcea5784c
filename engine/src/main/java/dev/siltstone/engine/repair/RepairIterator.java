package dev.siltstone.engine.repair;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.io.CorruptFileException;
import dev.siltstone.engine.iter.InternalIterator;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * The records of a tree as the new store gets them, forward only.
 *
 * <ol>
 *   <li>Of a key and a time there is one record only, however many files hold it: a table and its
 *       source may both be there if a crash kept the source from being removed.
 *   <li>A record that cannot be, by its kind or its order, is left out and told.
 *   <li>A value stored apart is copied to a blob of the new store. If it is lost, a delete of the
 *       same time takes its place, so that no older value of the key comes back.
 * </ol>
 */
final class RepairIterator implements InternalIterator {
  private final InternalIterator records;
  private final String tree;
  private final Blobs blobs;
  private final Losses losses;
  private final Path directory;
  private byte[] lastKey = new byte[64];
  private int lastKeyLength = -1;
  private long lastTrailer;
  private long trailer;

  /** The value in place of the record's own, if it is not null. */
  private byte @Nullable [] value;

  /** Brings blobs into the new store. */
  @FunctionalInterface
  interface Blobs {
    /**
     * Copies a blob, unless that was done before.
     *
     * @return what refers to the copy
     * @throws CorruptFileException if it is damaged or missing
     */
    BlobReference copy(BlobReference reference) throws IOException;
  }

  RepairIterator(
      InternalIterator records, String tree, Blobs blobs, Losses losses, Path directory) {
    this.records = records;
    this.tree = tree;
    this.blobs = blobs;
    this.losses = losses;
    this.directory = directory;
  }

  @Override
  public boolean valid() {
    return records.valid();
  }

  @Override
  public void first() throws IOException {
    lastKeyLength = -1;
    records.first();
    settle();
  }

  @Override
  public void next() throws IOException {
    records.next();
    settle();
  }

  /** Goes on to the next record that belongs into the new store. */
  private void settle() throws IOException {
    while (records.valid() && !accepts()) {
      records.next();
    }
  }

  private boolean accepts() throws IOException {
    trailer = records.trailer();
    value = null;
    int order =
        lastKeyLength < 0
            ? -1
            : Bytes.compare(
                lastKey,
                0,
                lastKeyLength,
                records.keyArray(),
                records.keyOffset(),
                records.keyLength());
    if (order == 0 && Trailer.time(trailer) == Trailer.time(lastTrailer)) {
      return false;
    }
    if (order > 0 || (order == 0 && Long.compareUnsigned(trailer, lastTrailer) > 0)) {
      return refuse("a record out of order");
    }
    int kind = Trailer.kind(trailer);
    int fixed = KeyKind.expires(kind) ? KeyKind.EXPIRY_BYTES : 0;
    if (!KeyKind.isKnown(kind) || kind == KeyKind.RANGE_DELETE || records.valueLength() < fixed) {
      return refuse("a record of kind " + kind + " with " + records.valueLength() + " bytes");
    }
    if (KeyKind.isSeparated(kind)) {
      takeBlob(kind, fixed);
    }
    remember();
    return true;
  }

  private boolean refuse(String what) {
    byte[] key = key();
    losses.add(new CorruptFileException(directory, -1, what + " was left out"), tree, key, key);
    return false;
  }

  private byte[] key() {
    return Bytes.copy(records.keyArray(), records.keyOffset(), records.keyLength());
  }

  private void takeBlob(int kind, int fixed) throws IOException {
    int at = records.valueOffset() + fixed;
    boolean possible =
        records.valueLength() == fixed + BlobReference.BYTES
            && BlobReference.isValid(records.valueArray(), at);
    try {
      if (!possible) {
        throw new CorruptFileException(directory, -1, "an impossible blob reference");
      }
      byte[] copy = Bytes.copy(records.valueArray(), records.valueOffset(), records.valueLength());
      blobs.copy(BlobReference.read(copy, fixed)).write(copy, fixed);
      value = copy;
    } catch (CorruptFileException e) {
      byte[] key = key();
      losses.add(e, tree, key, key);
      trailer = Trailer.of(Trailer.time(trailer), KeyKind.DELETE | (kind & KeyKind.SUBTREE));
      value = Bytes.EMPTY;
    }
  }

  private void remember() {
    int length = records.keyLength();
    if (lastKey.length < length) {
      lastKey = new byte[2 * length];
    }
    System.arraycopy(records.keyArray(), records.keyOffset(), lastKey, 0, length);
    lastKeyLength = length;
    lastTrailer = records.trailer();
  }

  @Override
  public void last() {
    throw forwardOnly();
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) {
    throw forwardOnly();
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) {
    throw forwardOnly();
  }

  @Override
  public void prev() {
    throw forwardOnly();
  }

  private static IllegalStateException forwardOnly() {
    return new IllegalStateException("forward only");
  }

  @Override
  public byte[] keyArray() {
    return records.keyArray();
  }

  @Override
  public int keyOffset() {
    return records.keyOffset();
  }

  @Override
  public int keyLength() {
    return records.keyLength();
  }

  @Override
  public long trailer() {
    return trailer;
  }

  @Override
  public byte[] valueArray() {
    byte[] own = value;
    return own == null ? records.valueArray() : own;
  }

  @Override
  public int valueOffset() {
    return value == null ? records.valueOffset() : 0;
  }

  @Override
  public int valueLength() {
    byte[] own = value;
    return own == null ? records.valueLength() : own.length;
  }

  @Override
  public void close() {
    records.close();
  }
}
