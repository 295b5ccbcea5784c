package dev.siltstone.tools;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a command that is refused, or whose input is bad from the start, has made no store, no
/// tree and no file, and says which path is at fault. Method: whole commands with one fault each,
/// and a look at the directory afterwards.
final class NothingChangedTest {
  @TempDir Path temporary;
  private final Session session = new Session();

  @Test
  void aLoadThatFailsInItsFirstBatchMakesNoStore() throws IOException {
    Path store = temporary.resolve("store");
    Path bad = Files.writeString(temporary.resolve("bad.tsv"), "61\t62\n6\t62\n");
    refuse(1, "bad.tsv line 2: key has an odd number", "load", store, bad, "--create");
    Path header = Files.writeString(temporary.resolve("h.csv"), "value,key\n61,62\n");
    refuse(1, "h.csv line 1: the header", "load", store, header, "--create", "--skip-bad");
    refuse(2, temporary + " is a directory", "load", store, temporary, "--create");
    refuse(
        2, "no file " + temporary.resolve("x"), "load", store, temporary.resolve("x"), "--create");
    refuse(2, "gzip", "load", store, bad, "--create", "--skip-bad", "--compression", "gzip");
    refuse(2, "tsv is always in hex", "load", store, bad, "--create", "--encoding", "text");
    refuse(2, "1 to 255 characters", "load", store, bad, "--create", "--skip-bad", "--tree", "");
    assertThat(store).doesNotExist();
  }

  @Test
  void aLoadThatFailsInItsFirstBatchMakesNoTree() throws IOException {
    Path store = temporary.resolve("store");
    session.ok("put", store.toString(), "k", "v", "--create");
    Path bad = Files.writeString(temporary.resolve("bad.tsv"), "61\t62\n6\t62\n");
    refuse(1, "bad.tsv line 2", "load", store, bad, "--create", "--tree", "new");
    refuse(2, "has no tree 'new'; its trees: default", "count", store, "--tree", "new");
  }

  @Test
  void anInputThatCannotBeReadIsNamed() {
    Path store = temporary.resolve("store");
    StringWriter err = new StringWriter();
    InputStream failing =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("Input/output error");
          }
        };
    Terminal terminal =
        new Terminal(
            failing,
            new Output(OutputStream.nullOutputStream()),
            new PrintWriter(err, true),
            false,
            session.clock,
            session.interrupt);
    assertThat(Main.run(terminal, "load", store.toString(), "--create")).isEqualTo(1);
    assertThat(err.toString())
        .startsWith("siltstone: cannot read the standard input: Input/output error; 0 entries")
        .hasLineCount(1);
    assertThat(store).doesNotExist();
  }

  @Test
  void aPutThatIsRefusedMakesNoStore() {
    Path store = temporary.resolve("store");
    refuse(2, "gzip", "put", store, "k", "v", "--create", "--compression", "gzip");
    refuse(2, "65,536", "put", store, "k".repeat(65_537), "v", "--create");
    refuse(2, "1 to 255", "put", store, "k", "v", "--create", "--tree", "t".repeat(256));
    assertThat(store).doesNotExist();
  }

  @Test
  void aFileInThePlaceOfAStoreIsNamed() throws IOException {
    Path file = Files.writeString(temporary.resolve("file"), "precious");
    String message = file + " is a file, not the directory of a store";
    refuse(2, message, "put", file, "k", "v", "--create");
    refuse(2, message, "load", file, "--create");
    for (String command : "count scan dump levels stats compact verify doctor".split(" ")) {
      refuse(2, message, command, file);
    }
    refuse(2, message, "repair", file, temporary.resolve("saved"));
    refuse(2, message, "checkpoint", file, temporary.resolve("saved"));
    Path store = temporary.resolve("store");
    session.ok("put", store.toString(), "k", "v", "--create");
    refuse(2, file + " is a file", "repair", store, file);
    refuse(2, file + " exists", "checkpoint", store, file);
    refuse(2, "is a file", "put", file.resolve("below"), "k", "v", "--create");
    assertThat(file).hasContent("precious");
    assertThat(temporary.resolve("saved")).doesNotExist();
  }

  @Test
  void aLinkThatLeadsNowhereIsNamed() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), temporary.resolve("nowhere"));
    Path loop = Files.createSymbolicLink(temporary.resolve("loop"), Path.of("loop"));
    Path store = temporary.resolve("store");
    session.ok("put", store.toString(), "k", "v", "--create");
    for (Path path : List.of(link, loop)) {
      String message = path + " is a symbolic link that leads nowhere";
      for (Path at : List.of(path, path.resolve("below"))) {
        refuse(2, message, "put", at, "k", "v", "--create");
        refuse(2, message, "load", at, "--create");
        for (String command : "count scan dump levels stats compact verify doctor".split(" ")) {
          refuse(2, message, command, at);
        }
        refuse(2, message, "repair", at, temporary.resolve("saved"));
        refuse(2, message, "repair", store, at);
        refuse(2, message, "checkpoint", store, at);
      }
      refuse(2, message, "dump", store, path);
      refuse(2, message, "dump", store, path, "--force");
      assertThat(path).isSymbolicLink();
    }
    assertThat(temporary.resolve("nowhere")).doesNotExist();
    assertThat(temporary).isDirectoryNotContaining("glob:**incomplete*");
  }

  @Test
  void aDirectoryOfOtherFilesIsToBeTypedDifferently() throws IOException {
    Path home = Files.createDirectory(temporary.resolve("home"));
    Files.writeString(home.resolve("letter.txt"), "precious");
    refuse(2, "holds no store, but letter.txt", "put", home, "k", "v", "--create");
    refuse(2, "holds no store, but letter.txt", "load", home, "--create");
    assertThat(home).isDirectoryContaining("glob:**letter.txt");
    assertThat(home.toFile().list()).hasSize(1);
  }

  @Test
  void aDumpReplacesNoDirectoryAndNeedsOne() throws IOException {
    Path store = temporary.resolve("store");
    session.ok("put", store.toString(), "k", "v", "--create");
    Path empty = Files.createDirectory(temporary.resolve("empty"));
    refuse(2, empty + " is a directory", "dump", store, empty, "--force");
    assertThat(empty).isEmptyDirectory();
    Path deep = temporary.resolve("no/such/x.tsv");
    refuse(2, "no directory " + deep.getParent(), "dump", store, deep);
  }

  @Test
  void aRangeThatHoldsNoKeyIsAMistake() {
    Path store = temporary.resolve("store");
    session.ok("put", store.toString(), "k", "v", "--create");
    for (String command : "scan count del dump compact".split(" ")) {
      refuse(2, "--from z is not below --to a", command, store, "--from", "z", "--to", "a");
      refuse(2, "--from a is not below --to a", command, store, "--from", "a", "--to", "a");
      refuse(2, "no key begins with", command, store, "--prefix", "u", "--to", "a");
    }
    refuse(2, "--limit", "scan", store, "--limit", "-1");
    assertThat(session.ok("count", store.toString())).isEqualTo("1 entry\n");
  }

  private void refuse(int status, String message, Object... args) {
    String[] words = new String[args.length];
    for (int i = 0; i < args.length; i++) {
      words[i] = String.valueOf(args[i]);
    }
    assertThat(session.run(words)).as(String.join(" ", words)).isEqualTo(status);
    assertThat(session.err()).contains(message).hasLineCount(1);
    assertThat(session.out()).isEmpty();
  }
}
