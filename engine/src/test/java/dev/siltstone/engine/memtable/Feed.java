package dev.siltstone.engine.memtable;

import dev.siltstone.engine.key.BatchReader;
import dev.siltstone.engine.key.BatchWriter;
import java.io.IOException;

/** Brings records into a memtable the way the commit does: as a sealed batch. */
final class Feed {
  static final int TREE = 3;

  private final BatchWriter writer = new BatchWriter();
  private final BatchReader reader = new BatchReader();

  BatchWriter batch() {
    return writer;
  }

  void commit(MemTable target, long time) throws IOException {
    writer.seal(time);
    reader.open(writer.array(), 0, writer.bytes());
    while (reader.next()) {
      target.add(reader);
    }
    writer.clear();
  }
}
