package dev.siltstone.engine.iter;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Strings the iterators of disjoint sources, such as the files of a level, into one. A source is
 * opened when the iterator comes to it and closed when it leaves; at most one is open.
 */
public final class ConcatIterator implements InternalIterator {
  private final int count;
  private final Finder finder;
  private final Opener opener;

  /** Index of the open source; meaningless while {@code current} is the empty iterator. */
  private int index;

  private InternalIterator current = EmptyIterator.INSTANCE;

  /**
   * An iterator over sources 0 to {@code count - 1}, which are disjoint and in key order.
   *
   * @param finder tells which source may hold a key
   * @param opener opens a source
   */
  public ConcatIterator(int count, Finder finder, Opener opener) {
    this.count = count;
    this.finder = finder;
    this.opener = opener;
  }

  /** Finds sources by key. */
  @FunctionalInterface
  public interface Finder {
    /**
     * Index of the first source whose exclusive upper bound lies after the key; the number of
     * sources if there is none.
     */
    int find(byte[] key, int offset, int length);
  }

  /** Opens sources. */
  @FunctionalInterface
  public interface Opener {
    /** A new iterator over one source; the caller closes it. */
    InternalIterator open(int index) throws IOException;
  }

  @Override
  public boolean valid() {
    return current.valid();
  }

  @Override
  public void first() throws IOException {
    if (enter(0)) {
      current.first();
      skipForward();
    }
  }

  @Override
  public void last() throws IOException {
    if (enter(count - 1)) {
      current.last();
      skipBackward();
    }
  }

  @Override
  public void seek(byte[] key, int offset, int length, long trailer) throws IOException {
    if (enter(finder.find(key, offset, length))) {
      current.seek(key, offset, length, trailer);
      skipForward();
    }
  }

  @Override
  public void seekBefore(byte[] key, int offset, int length, long trailer) throws IOException {
    int found = finder.find(key, offset, length);
    if (found == count) {
      last();
    } else if (enter(found)) {
      current.seekBefore(key, offset, length, trailer);
      skipBackward();
    }
  }

  @Override
  public void next() throws IOException {
    current.next();
    skipForward();
  }

  @Override
  public void prev() throws IOException {
    current.prev();
    skipBackward();
  }

  @Override
  public @Nullable StoredBlock block() {
    return current.block();
  }

  @Override
  public void skipBlock() throws IOException {
    current.skipBlock();
    skipForward();
  }

  private void skipForward() throws IOException {
    while (!current.valid() && enter(index + 1)) {
      current.first();
    }
  }

  private void skipBackward() throws IOException {
    while (!current.valid() && enter(index - 1)) {
      current.last();
    }
  }

  /** Opens a source unless it is the open one; whether there is such a source. */
  private boolean enter(int target) throws IOException {
    boolean open = current != EmptyIterator.INSTANCE;
    if (open && target == index) {
      return true;
    }
    close();
    if (target < 0 || target >= count) {
      return false;
    }
    current = opener.open(target);
    index = target;
    return true;
  }

  @Override
  public byte[] keyArray() {
    return current.keyArray();
  }

  @Override
  public int keyOffset() {
    return current.keyOffset();
  }

  @Override
  public int keyLength() {
    return current.keyLength();
  }

  @Override
  public long trailer() {
    return current.trailer();
  }

  @Override
  public byte[] valueArray() {
    return current.valueArray();
  }

  @Override
  public int valueOffset() {
    return current.valueOffset();
  }

  @Override
  public int valueLength() {
    return current.valueLength();
  }

  @Override
  public void close() {
    current.close();
    current = EmptyIterator.INSTANCE;
  }
}
