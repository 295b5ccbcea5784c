package dev.siltstone.testkit.contract;

// Goal: what runs on the simulated disk would run on the real one.
// Method: the same contract.

import dev.siltstone.base.io.FileSystem;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;

final class SimFileSystemContractTest extends FileSystemContract {
  private final FileSystem fileSystem = new SimFileSystem();

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
    return Path.of("/somewhere/db");
  }
}
