package dev.siltstone.engine.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.siltstone.engine.file.FileNames.Kind;
import dev.siltstone.engine.file.FileNames.Parsed;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

// Goal: a name has one meaning, and a foreign name has none.
// Method: the names as they stand on disk, every kind there and back, near misses.
class FileNamesTest {
  @Test
  void namesAreTheseOnDisk() {
    assertThat(FileNames.table(7)).isEqualTo("000007.table");
    assertThat(FileNames.blob(12)).isEqualTo("000012.blob");
    assertThat(FileNames.log(123456)).isEqualTo("123456.wal");
    assertThat(FileNames.temporary(1234567)).isEqualTo("1234567.tmp");
    assertThat(FileNames.manifest(1)).isEqualTo("MANIFEST-000001");
    assertThat(FileNames.current(1)).isEqualTo("CURRENT-000001");
    assertThat(FileNames.options(99)).isEqualTo("OPTIONS-000099");
  }

  @Test
  void everyNameIsParsedToWhatItWasMadeFrom() {
    for (Kind kind : Kind.values()) {
      if (kind == Kind.LOCK) {
        continue;
      }
      for (long number : new long[] {1, 999_999, 1_000_000, 999_999_999_999_999_999L}) {
        assertThat(FileNames.parse(kind.name(number))).isEqualTo(new Parsed(kind, number));
      }
    }
    assertThat(FileNames.parse("LOCK")).isEqualTo(new Parsed(Kind.LOCK, 0));
    assertThat(FileNames.parse("LOCK.owner")).isEqualTo(new Parsed(Kind.LOCK, 0));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "7.table",
        "0000007.table",
        "000000.table",
        "00000a.wal",
        "-00007.wal",
        "000007.sst",
        "000007.table.bak",
        "MANIFEST-7",
        "MANIFEST-",
        "MANIFEST-000007 ",
        "manifest-000007",
        "CURRENT",
        "LOCK.",
        "1000000000000000000.blob",
        "99999999999999999999999.blob",
        "٠٠٠٠٠٧.table"
      })
  void otherNamesAreForeign(String name) {
    assertThat(FileNames.parse(name)).isNull();
  }

  @Test
  void aNumberThatNoFileHasIsRefused() {
    assertThatThrownBy(() -> FileNames.table(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> FileNames.log(-1)).isInstanceOf(IllegalArgumentException.class);
  }
}
