package dev.siltstone.testkit.contract;

// Goal: without faults, the fault file system is as good as the one behind it.
// Method: the contract.

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.testkit.disk.FaultFileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

final class FaultFileSystemContractTest extends FileSystemContract {
  private final FileSystem fileSystem = new FaultFileSystem(new SimFileSystem());

  @BeforeEach
  void createDirectory() throws IOException {
    fileSystem.createDirectories(directory());
  }

  @Override
  protected FileSystem fileSystem() {
    return fileSystem;
  }

  @Override
  protected Path directory() {
    return Path.of("/db");
  }
}
