package dev.siltstone.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * Goal: what is committed is true on every machine. Method: all texts are searched for traces of
 * one machine, and the links of all documents are followed.
 */
final class TextTest {
  /** Written with brackets, so that this file passes its own test. */
  private static final Pattern MACHINE =
      Pattern.compile(
          "(?<![\\w.$}/])/(wor[k]|roo[t]|hom[e]/\\w+|User[s]/\\w+)/\\w+"
              + "|repo1?\\.maven\\.(apache\\.)?or[g]"
              + "|registry\\.npmj[s]|deb\\.debia[n]\\.org|security\\.debia[n]\\.org");

  private static final Pattern LINK = Pattern.compile("(?<!!)\\[[^\\]]*\\]\\(([^)#\\s]+)[^)]*\\)");

  @Test
  void textsNameNoMachine() throws IOException {
    SourceTree tree = SourceTree.find();
    List<String> found = new ArrayList<>();
    for (Path file : tree.texts()) {
      traces(SourceTree.read(file)).forEach(trace -> found.add(tree.name(file) + ": " + trace));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void linksOfDocumentsLead() throws IOException {
    SourceTree tree = SourceTree.find();
    List<String> dead = new ArrayList<>();
    for (Path file : tree.markdown()) {
      for (String link : links(SourceTree.read(file))) {
        if (!Files.exists(file.resolveSibling(link))) {
          dead.add(tree.name(file) + ": " + link);
        }
      }
    }
    assertThat(dead).isEmpty();
  }

  @Test
  void tracesAreFound() {
    assertThat(traces("see /hom" + "e/ann/notes and /wor" + "k/main")).hasSize(2);
    assertThat(traces("https://repo1.maven.or" + "g/x")).hasSize(1);
    assertThat(traces("src/work/main, ${base}/work/x, /usr/lib/jvm")).isEmpty();
  }

  @Test
  void linksAreFound() {
    assertThat(links("[a](docs/a.md#part), [b](https://b.org), [c](#c) and [d](d.md \"D\")"))
        .containsExactly("docs/a.md", "d.md");
  }

  private static List<String> traces(String text) {
    return MACHINE.matcher(text).results().map(MatchResult::group).toList();
  }

  /** Relative links without their fragments. */
  private static List<String> links(String text) {
    return LINK.matcher(text)
        .results()
        .map(result -> result.group(1))
        .filter(link -> !link.contains("://") && !link.startsWith("mailto:"))
        .toList();
  }
}
