package dev.siltstone.engine.table;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Keys between the data blocks of a table. */
public final class TableCuts {
  private TableCuts() {}

  /**
   * Keys that cut the records of a table into pieces of about the same length, in key order, the
   * last one behind all records. Reads all index blocks.
   *
   * @param pieces how many, at least 1; there are fewer if there are not so many data blocks, and
   *     up to twice as many otherwise
   */
  public static List<byte[]> of(TableReader table, int pieces) throws IOException {
    long blocks = table.properties().layout().dataBlocks();
    long stride = Math.max(1, blocks / pieces);
    List<byte[]> keys = new ArrayList<>();
    int partitions = table.topIndex().count();
    long passed = 0;
    for (int partition = 0; partition < partitions; partition++) {
      Block index = table.index(partition);
      for (int i = 0; i < index.count(); i++) {
        passed++;
        if (passed % stride == 0) {
          keys.add(index.key(i));
        }
      }
    }
    return keys;
  }
}
