package dev.siltstone.engine.blob;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.engine.key.BlobReference;
import dev.siltstone.testkit.disk.SimFileSystem;
import dev.siltstone.testkit.golden.AnnotatedDump;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

// Goal: the bytes of a blob file, and of a reference to one, never change.
// Method: a small value, compared with the dump that docs/format/blob.md explains.
class BlobFormatTest {
  private static final Path DIRECTORY = Path.of("/store");
  private static final byte[] VALUE = "siltstone".getBytes(US_ASCII);

  @Test
  void aSmallValueHasTheBytesOfItsPage() throws IOException {
    SimFileSystem disk = new SimFileSystem();
    disk.createDirectories(DIRECTORY);
    BlobReference reference;
    try (BlobFiles blobs = new BlobFiles(disk, DIRECTORY, 0x1122334455667788L, () -> 7)) {
      reference = blobs.write(VALUE);
      assertThat(blobs.read(reference)).isEqualTo(VALUE);
    }
    assertThat(Bytes.hex(disk.bytes(DIRECTORY.resolve("000007.blob"))))
        .isEqualTo(Bytes.hex(AnnotatedDump.read(Path.of("../docs/format/blob.md"))));
  }

  @Test
  void aReferenceHasTheseBytes() {
    byte[] bytes = new byte[BlobReference.BYTES];
    new BlobReference(7, VALUE.length, 0x01020304).write(bytes, 0);
    assertThat(Bytes.hex(bytes)).isEqualTo("0700000000000000" + "09000000" + "04030201");
  }
}
