package dev.siltstone.engine.key;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.testkit.golden.AnnotatedDump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

// Goal: the bytes of a batch never change.
// Method: a batch with a record of each kind, compared with the dump that docs/format/batch.md
// explains.
class BatchFormatTest {
  @Test
  void aBatchOfEachKindHasTheBytesOfItsPage() throws IOException {
    BatchWriter batch = new BatchWriter();
    add(batch, 1, KeyKind.PUT, "a", "one");
    batch.addExpiring(1, KeyKind.PUT | KeyKind.EXPIRES, 0x1000, bytes("b"), bytes("two"));
    add(batch, 2, KeyKind.DELETE, "c", "");
    add(batch, 2, KeyKind.DELETE | KeyKind.SUBTREE, "d/", "");
    add(batch, 300, KeyKind.RANGE_DELETE, "e", "g");
    byte[] reference = new byte[BlobReference.BYTES];
    new BlobReference(7, 9, 0x01020304).write(reference, 0);
    batch.add(1, KeyKind.PUT | KeyKind.SEPARATED, bytes("h"), 0, 1, reference, 0, reference.length);
    add(batch, 1, KeyKind.RANGE_DELETE, "i", "");
    batch.seal(0x30);
    assertThat(Bytes.hex(Arrays.copyOf(batch.array(), batch.bytes())))
        .isEqualTo(Bytes.hex(AnnotatedDump.read(Path.of("../docs/format/batch.md"))));
  }

  private static void add(BatchWriter batch, int tree, int kind, String key, String value) {
    byte[] k = bytes(key);
    byte[] v = bytes(value);
    batch.add(tree, kind, k, 0, k.length, v, 0, v.length);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(US_ASCII);
  }
}
