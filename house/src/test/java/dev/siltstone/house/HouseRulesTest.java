package dev.siltstone.house;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.EvaluationResult;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Goal: the walls stand, and would be seen to fall. Method: every rule is run on all classes of the
 * product, and on fixtures of which exactly the named ones break it.
 */
final class HouseRulesTest {
  private static final String ROOT = "dev.siltstone";
  private static final String FIXTURES = ROOT + ".house.fixture";

  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(location -> !location.contains("/test-classes/"))
          .importPackages(ROOT);

  private static final JavaClasses FIXTURE_CLASSES =
      new ClassFileImporter().importPackages(FIXTURES);

  /** The fixtures that break each rule. */
  private static final Map<String, Set<String>> CULPRITS =
      Map.ofEntries(
          Map.entry("modules point one way", Set.of("BaseUsesEngine", "DocUsesTerm")),
          Map.entry("modules meet at doors", Set.of("DocUsesTable")),
          Map.entry("doors show only doors", Set.of("LeakyDoor")),
          Map.entry("engine packages have a row", Set.of("Unplaced")),
          Map.entry("engine packages point down", Set.of("MemtableUsesWal", "TableUsesDoor")),
          Map.entry("packages of base have no cycle", Set.of("CycleHalf", "OtherHalf")),
          Map.entry("libraries need only the JDK", Set.of("UsesLibrary")),
          Map.entry("files go through the seam", Set.of("OpensFile")),
          Map.entry("time goes through the seam", Set.of("ReadsClock")),
          Map.entry("chance goes through the seam", Set.of("RollsDice")),
          Map.entry("threads go through the seam", Set.of("StartsThread")),
          Map.entry("nothing reads the environment", Set.of("ReadsProperty")),
          Map.entry("nothing prints", Set.of("Prints")),
          Map.entry("nothing reflects", Set.of("Reflects")),
          Map.entry("document compaction decodes nothing", Set.of("DecodesKey")),
          Map.entry("point get builds no iterator", Set.of("PointGet")),
          Map.entry("classes are final", Set.of("OpenClass")),
          Map.entry("names say what a thing is", Set.of("ThingManager")),
          Map.entry("persisted enums have codes", Set.of("BareKind")));

  static Stream<String> rules() {
    return new HouseRules(ROOT).all().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("rules")
  void holds(String name) {
    rule(ROOT, name).check(PRODUCT);
  }

  @ParameterizedTest
  @MethodSource("rules")
  void catchesItsFixture(String name) {
    EvaluationResult result = rule(FIXTURES, name).evaluate(FIXTURE_CLASSES);

    Set<String> culprits = CULPRITS.get(name);
    assertThat(culprits).as("fixtures that break the rule").isNotEmpty();
    String all = String.join("\n", result.getFailureReport().getDetails());
    assertThat(culprits).allSatisfy(culprit -> assertThat(all).contains("." + culprit));
    assertThat(result.getFailureReport().getDetails())
        .allSatisfy(
            line -> assertThat(culprits).anySatisfy(culprit -> assertThat(line).contains(culprit)));
  }

  private static ArchRule rule(String root, String name) {
    ArchRule rule = new HouseRules(root).all().get(name);
    assertThat(rule).as(name).isNotNull();
    return rule;
  }
}
