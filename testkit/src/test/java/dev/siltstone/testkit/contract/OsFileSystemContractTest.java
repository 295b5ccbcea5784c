package dev.siltstone.testkit.contract;

// Goal: the real file system does what the engine is built on.
// Method: the contract, in a temporary directory.

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.base.io.OsFileSystem;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

final class OsFileSystemContractTest extends FileSystemContract {
  @TempDir Path directory;

  private final FileSystem fileSystem = new OsFileSystem(2);

  @Override
  protected FileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  protected Path directory() {
    return directory;
  }
}
