package dev.siltstone.house;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Goal: sources stay readable. Method: every source is measured, and so are small ones that each
 * break one limit by one.
 */
final class TidyTest {
  private static final String MAIN = "engine/src/main/java/dev/siltstone/engine/table/X.java";
  private static final String DOOR = "engine/src/main/java/dev/siltstone/engine/X.java";
  private static final String PACKAGE =
      "engine/src/main/java/dev/siltstone/engine/table/package-info.java";

  @Test
  void sourcesAreTidy() throws IOException {
    SourceTree tree = SourceTree.find();
    List<String> found = new ArrayList<>();
    for (Path file : tree.javaSources()) {
      found.addAll(Tidy.check(tree.name(file), SourceTree.read(file)));
    }
    assertThat(found).isEmpty();
  }

  @Test
  void everyPackageHasItsInfo() throws IOException {
    SourceTree tree = SourceTree.find();
    Set<String> missing = new TreeSet<>();
    for (Path file : tree.mainSources()) {
      if (!Files.exists(file.resolveSibling("package-info.java"))) {
        missing.add(tree.name(file.getParent()));
      }
    }
    assertThat(missing).as("packages without package-info.java").isEmpty();
  }

  @Test
  void theTreeIsNotEmpty() throws IOException {
    SourceTree tree = SourceTree.find();
    assertThat(tree.mainSources()).hasSizeGreaterThan(20);
    assertThat(tree.texts()).contains(tree.resolve("pom.xml"), tree.resolve("siltstone"));
  }

  @Test
  void longLineIsFound() throws IOException {
    assertThat(Tidy.check(MAIN, "// " + "x".repeat(97) + "\nclass X {}\n")).isEmpty();
    assertThat(Tidy.check(MAIN, "// " + "x".repeat(98) + "\nclass X {}\n"))
        .singleElement()
        .asString()
        .contains(":1: 101 characters");
  }

  @Test
  void longFileIsFound() throws IOException {
    assertThat(Tidy.check(MAIN, "class X {}\n" + "\n".repeat(799))).isEmpty();
    assertThat(Tidy.check(MAIN, "class X {}\n" + "\n".repeat(800)))
        .singleElement()
        .asString()
        .contains("801 lines in a file");
  }

  @Test
  void longMethodIsFound() throws IOException {
    assertThat(Tidy.check(MAIN, "class X {\n  void m() {\n" + "    m();\n".repeat(68) + "  }\n}\n"))
        .isEmpty();
    assertThat(Tidy.check(MAIN, "class X {\n  void m() {\n" + "    m();\n".repeat(69) + "  }\n}\n"))
        .singleElement()
        .asString()
        .contains(":2: 71 lines in a method");
  }

  @Test
  void methodsOfTestsMayBeLong() throws IOException {
    String test = MAIN.replace("/main/", "/test/");
    assertThat(Tidy.check(test, "class X {\n  void m() {\n" + "    m();\n".repeat(99) + "  }\n}\n"))
        .isEmpty();
  }

  @Test
  void tooManyParametersAreFound() throws IOException {
    String six = "int a, int b, int c, int d, int e, int f";
    assertThat(Tidy.check(MAIN, "class X { void m(" + six + ", int g, int h) {} }")).isEmpty();
    assertThat(Tidy.check(MAIN, "class X { void m(" + six + ", int g, int h, int i) {} }"))
        .singleElement()
        .asString()
        .contains("9 parameters, at most 8");
    String door = "/** D. */ public class X {\n/** D. */ public void m(";
    assertThat(Tidy.check(DOOR, door + six + ") {} }")).isEmpty();
    assertThat(Tidy.check(DOOR, door + six + ", int g) {} }"))
        .singleElement()
        .asString()
        .contains("7 parameters, at most 6");
  }

  @Test
  void deepNestingIsFound() throws IOException {
    String five = "for (;;) { while (a) { if (a) { try { switch (b) { case 1 -> {\n";
    assertThat(Tidy.check(MAIN, "class X { void m() { " + five + "} } } } } } } }")).isEmpty();
    assertThat(Tidy.check(MAIN, "class X { void m() { " + five + "if (a) {} } } } } } } } }"))
        .singleElement()
        .asString()
        .contains("nested deeper than 5");
  }

  @Test
  void chainOfElseIfIsNotDeep() throws IOException {
    String chain = "if (a) {} " + "\nelse if (b) {} ".repeat(9);
    assertThat(Tidy.check(MAIN, "class X { void m() { " + chain + "} }")).isEmpty();
  }

  @Test
  void silentDoorIsFound() throws IOException {
    assertThat(Tidy.check(DOOR, "public class X {}"))
        .singleElement()
        .asString()
        .contains("type X is public but says nothing");
    assertThat(Tidy.check(DOOR, "/// D.\npublic interface X {\n  int a = 1;\n  void m();\n}\n"))
        .hasSize(2);
    assertThat(Tidy.check(DOOR, "class X {\n  public void m() {}\n}\n")).isEmpty();
    assertThat(Tidy.check(DOOR, "/** D. */ public record X(int a) {}")).isEmpty();
    assertThat(Tidy.check(MAIN, "public class X {}")).isEmpty();
  }

  @Test
  void openEndWithoutIssueIsFound() throws IOException {
    String word = "TO" + "DO";
    assertThat(Tidy.check(MAIN, "// " + word + "(#12): cut it\nclass X {}")).isEmpty();
    assertThat(Tidy.check(MAIN, "class X { String s = \"// " + word + "\"; }")).isEmpty();
    assertThat(Tidy.check(MAIN, "class X {\n  /* a\n   * " + word + ": cut it */ int a;\n}"))
        .singleElement()
        .asString()
        .contains(":2: an open end");
  }

  @Test
  void unmarkedPackageIsFound() throws IOException {
    assertThat(Tidy.check(PACKAGE, "/** D. */\n@NullMarked package a;")).isEmpty();
    assertThat(Tidy.check(PACKAGE, "/** D. */\npackage a;"))
        .singleElement()
        .asString()
        .contains("@NullMarked");
    assertThat(Tidy.check(PACKAGE, "@NullMarked package a;"))
        .singleElement()
        .asString()
        .contains("what it is for");
  }
}
