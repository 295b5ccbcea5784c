package dev.siltstone.testkit.disk;

import java.io.IOException;
import java.nio.file.Path;

/** Is told of every changing operation of a {@link SimFileSystem}. */
@FunctionalInterface
public interface OperationListener {

  /**
   * An operation is about to happen; it has had no effect yet. No other operation of the same disk
   * runs meanwhile. The listener may crash, kill or halt the disk.
   *
   * @param path the file, as the file system was given it
   * @param index 0 for the first changing operation of this disk, and so on
   * @throws IOException to fail the operation without effect
   */
  void onOperation(DiskOperation operation, Path path, long index) throws IOException;
}
