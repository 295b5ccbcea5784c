package dev.siltstone.engine.compaction;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.siltstone.base.bytes.Bytes;
import dev.siltstone.base.bytes.Fixed;
import dev.siltstone.engine.iter.RecordsIterator;
import dev.siltstone.engine.iter.TestRecord;
import dev.siltstone.engine.key.KeyKind;
import dev.siltstone.engine.key.Trailer;
import dev.siltstone.testkit.golden.GoldenTest;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

// Goal: what disappears, to be read as a table.
// Method: records in, records out; older data elsewhere is everywhere or nowhere.
final class DropRuleGoldenTest {
  private static final Map<String, Integer> KINDS =
      Map.of(
          "put",
          KeyKind.PUT,
          "delete",
          KeyKind.DELETE,
          "putSubtree",
          KeyKind.PUT | KeyKind.SUBTREE,
          "deleteSubtree",
          KeyKind.DELETE | KeyKind.SUBTREE);

  @Test
  void dropsAsWritten() throws Exception {
    GoldenTest.run(Path.of("src/test/golden/drop/rule.txt"), DropRuleGoldenTest::compact);
  }

  private static String compact(GoldenTest.Case question) throws IOException {
    RandomTree.Content content = new RandomTree.Content();
    for (String line : question.input().lines().toList()) {
      String[] words = line.split("[@ ]");
      long time = Long.parseLong(words[1]);
      if (words[2].equals("deleteUpTo")) {
        content.rangeDeletes().add(new RandomTree.RangeDelete(key(words[0]), key(words[3]), time));
      } else {
        content.records().add(record(words, time));
      }
    }
    OlderData older = question.has("older") ? new OlderEverywhere() : OlderData.NONE;
    MemoryTables tables = new MemoryTables();
    CompactionJob.Limits limits =
        new CompactionJob.Limits(
            question.number("cutoff", 0), Long.MAX_VALUE, Long.MAX_VALUE, List.of());
    CompactionJob.Result result =
        new CompactionJob(
                new RecordsIterator(List.copyOf(content.records())),
                content.fragments(),
                older,
                limits,
                tables,
                JobControl.NONE,
                null)
            .run();
    StringBuilder text = new StringBuilder();
    RandomTree.Content output = tables.content(result.outputs());
    output.records().forEach(record -> text.append(text(record)).append('\n'));
    output
        .rangeDeletes()
        .forEach(
            delete ->
                text.append(text(delete.lower()))
                    .append('@')
                    .append(delete.time())
                    .append(" deleteUpTo ")
                    .append(text(delete.upper()))
                    .append('\n'));
    return text.isEmpty() ? "nothing" : text.toString();
  }

  private static TestRecord record(String[] words, long time) {
    int kind = KINDS.get(words[2]);
    byte[] value = Bytes.EMPTY;
    if (words.length > 3) {
      kind |= KeyKind.EXPIRES;
      value = new byte[KeyKind.EXPIRY_BYTES];
      Fixed.putLong(value, 0, Long.parseLong(words[4]));
    }
    return new TestRecord(key(words[0]), Trailer.of(time, kind), value);
  }

  private static String text(TestRecord record) {
    int kind = record.kind() & ~KeyKind.EXPIRES;
    StringBuilder text = new StringBuilder(text(record.key()) + "@" + record.time() + " ");
    KINDS.forEach((name, code) -> text.append(code == kind ? name : ""));
    return text.append(
            KeyKind.expires(record.kind()) ? " expires " + RandomTree.expiry(record) : "")
        .toString();
  }

  private static byte[] key(String text) {
    return text.getBytes(UTF_8);
  }

  private static String text(byte[] key) {
    return new String(key, UTF_8);
  }
}
