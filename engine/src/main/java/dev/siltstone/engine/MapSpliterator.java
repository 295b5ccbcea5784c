package dev.siltstone.engine;

import java.util.Comparator;
import java.util.Iterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Passes the elements of a map view on in order; how many there are is not known. */
final class MapSpliterator<T> extends Spliterators.AbstractSpliterator<T> {
  private final Iterator<T> elements;
  private final @Nullable Comparator<? super T> order;

  /**
   * A spliterator.
   *
   * @param order of the elements, which are distinct then; {@code null} if they have none
   */
  MapSpliterator(Iterator<T> elements, @Nullable Comparator<? super T> order) {
    super(
        Long.MAX_VALUE,
        order == null
            ? ORDERED | NONNULL | CONCURRENT
            : ORDERED | NONNULL | CONCURRENT | DISTINCT | SORTED);
    this.elements = elements;
    this.order = order;
  }

  @Override
  public boolean tryAdvance(Consumer<? super T> action) {
    if (!elements.hasNext()) {
      return false;
    }
    action.accept(elements.next());
    return true;
  }

  @Override
  public Comparator<? super T> getComparator() {
    if (order == null) {
      throw new IllegalStateException("not sorted");
    }
    return order;
  }
}
