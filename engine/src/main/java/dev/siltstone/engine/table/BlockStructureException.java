package dev.siltstone.engine.table;

import java.io.IOException;

/**
 * The bytes of a block do not have the structure of its type. Says where in the block, but not in
 * which: whoever knows the file turns it into a {@link dev.siltstone.base.io.CorruptFileException}.
 */
final class BlockStructureException extends IOException {
  private static final long serialVersionUID = 1L;
  private final String what;

  BlockStructureException(String what) {
    super(what);
    this.what = what;
  }

  /** What is wrong. */
  String what() {
    return what;
  }
}
