package dev.siltstone.house;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget;
import com.tngtech.archunit.core.domain.Dependency;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SlicesRuleDefinition;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The rules about what may use what, by name.
 *
 * <p>They are built for a root package, so that the same rules run on the product and on the
 * fixtures, which repeat its package names below a root of their own.
 */
final class HouseRules {
  private static final Pattern BAD_NAME =
      Pattern.compile("(Abstract|I(?=[A-Z][a-z]))\\w+|\\w+(Impl|Manager|Helper|Utils?)");

  private static final Set<String> CLOCK_CALLS =
      Set.of("java.lang.System.nanoTime", "java.lang.System.currentTimeMillis");

  private static final Set<String> RANDOM_TYPES =
      Set.of(
          "java.util.Random",
          "java.util.SplittableRandom",
          "java.util.concurrent.ThreadLocalRandom",
          "java.security.SecureRandom");

  private static final Set<String> RANDOM_CALLS =
      Set.of("java.lang.Math.random", "java.util.UUID.randomUUID");

  private static final Set<String> THREAD_MAKERS =
      Set.of(
          "java.lang.Thread",
          "java.util.Timer",
          "java.util.concurrent.ThreadPoolExecutor",
          "java.util.concurrent.ForkJoinPool");

  private static final Set<String> THREAD_CALLS =
      Set.of(
          "java.lang.Thread.ofVirtual",
          "java.lang.Thread.ofPlatform",
          "java.lang.Thread.startVirtualThread",
          "java.lang.Thread.sleep",
          "java.util.Collection.parallelStream",
          "java.util.concurrent.CompletableFuture.runAsync",
          "java.util.concurrent.CompletableFuture.supplyAsync");

  private static final Set<String> ENVIRONMENT_CALLS =
      Set.of(
          "java.lang.System.getProperty",
          "java.lang.System.getenv",
          "java.lang.Integer.getInteger",
          "java.lang.Long.getLong",
          "java.lang.Boolean.getBoolean");

  private static final Set<String> FILE_TYPES =
      Set.of(
          "java.io.File",
          "java.io.FileInputStream",
          "java.io.FileOutputStream",
          "java.io.FileReader",
          "java.io.FileWriter",
          "java.io.RandomAccessFile",
          "java.nio.file.Files",
          "java.nio.channels.FileChannel",
          "java.nio.channels.AsynchronousFileChannel");

  private final String root;

  HouseRules(String root) {
    this.root = root;
  }

  /** All rules, by the name that the tests print. */
  Map<String, ArchRule> all() {
    Map<String, ArchRule> rules = new LinkedHashMap<>();
    rules.put("modules point one way", modulesPointOneWay());
    rules.put("modules meet at doors", modulesMeetAtDoors());
    rules.put("doors show only doors", doorsShowOnlyDoors());
    rules.put("engine packages have a row", enginePackagesHaveARow());
    rules.put("engine packages point down", enginePackagesPointDown());
    rules.put("packages of base have no cycle", basePackagesHaveNoCycle());
    rules.put("libraries need only the JDK", librariesNeedOnlyTheJdk());
    rules.put("files go through the seam", filesGoThroughTheSeam());
    rules.put("time goes through the seam", timeGoesThroughTheSeam());
    rules.put("chance goes through the seam", chanceGoesThroughTheSeam());
    rules.put("threads go through the seam", threadsGoThroughTheSeam());
    rules.put("nothing reads the environment", nothingReadsTheEnvironment());
    rules.put("nothing prints", nothingPrints());
    rules.put("nothing reflects", nothingReflects());
    rules.put("document compaction decodes nothing", documentCompactionDecodesNothing());
    rules.put("point get builds no iterator", pointGetBuildsNoIterator());
    rules.put("classes are final", classesAreFinal());
    rules.put("names say what a thing is", namesSayWhatAThingIs());
    rules.put("persisted enums have codes", persistedEnumsHaveCodes());
    return rules;
  }

  // ---- Walls between modules --------------------------------------------------------------------

  private ArchRule modulesPointOneWay() {
    return classes()
        .that(in(Layout.MAY_USE.keySet()))
        .should(
            dependOnlyOn(
                "modules that lie below",
                (from, to) -> {
                  String source = module(from);
                  String target = module(to);
                  return target.isEmpty()
                      || target.equals(source)
                      || Layout.MAY_USE.getOrDefault(source, Set.of()).contains(target);
                }))
        .because("base <- engine <- doc, term <- cql, erl <- tools, and doc and term never meet");
  }

  private ArchRule modulesMeetAtDoors() {
    return classes()
        .that(in(Layout.MAY_USE.keySet()))
        .should(
            dependOnlyOn(
                "door packages of other modules",
                (from, to) -> {
                  String source = module(from);
                  String target = module(to);
                  Set<String> doors = Layout.DOORS.get(target);
                  return doors == null
                      || target.equals(source)
                      || Layout.SEES_ALL.contains(source)
                      || doors.contains(local(to))
                      || Layout.ALSO_OPEN.getOrDefault(source, Set.of()).contains(local(to));
                }))
        .because("what is not in a door package may change without notice");
  }

  private ArchRule doorsShowOnlyDoors() {
    return classes()
        .that(
            matching(
                "are public and in a door package",
                c ->
                    isPublicToTheWorld(c)
                        && Layout.DOORS.getOrDefault(module(c), Set.of()).contains(local(c))))
        .should(
            report(
                "show only door packages, base and the JDK in signatures",
                (c, found) ->
                    c.getMembers().stream()
                        .filter(HouseRules::isOpen)
                        .forEach(
                            member ->
                                shownTypes(member)
                                    .filter(type -> !mayBeShown(type))
                                    .forEach(
                                        type ->
                                            found.add(
                                                member.getFullName()
                                                    + " shows "
                                                    + type.getName())))))
        .because("a user cannot name a type that is behind the door")
        .allowEmptyShould(true);
  }

  // ---- Walls within modules ---------------------------------------------------------------------

  private ArchRule enginePackagesHaveARow() {
    return classes()
        .that(in(Set.of("engine")))
        .should(
            report(
                "be in a package that has a row in Layout",
                (c, found) -> {
                  if (Layout.row(local(c)) < 0) {
                    found.add(c.getName() + " is in a package that Layout does not place");
                  }
                }))
        .allowEmptyShould(true);
  }

  private ArchRule enginePackagesPointDown() {
    return classes()
        .that(in(Set.of("engine")))
        .should(
            dependOnlyOn(
                "packages of lower rows",
                (from, to) ->
                    !module(to).equals("engine")
                        || local(from).equals(local(to))
                        || Layout.row(local(to)) < Layout.row(local(from))))
        .because("each of the four walks goes down once and never comes back up")
        .allowEmptyShould(true);
  }

  private ArchRule basePackagesHaveNoCycle() {
    return SlicesRuleDefinition.slices()
        .matching(root + ".base.(*)..")
        .should()
        .beFreeOfCycles()
        .allowEmptyShould(true);
  }

  private ArchRule librariesNeedOnlyTheJdk() {
    return classes()
        .that(in(Layout.WITHOUT_DEPENDENCIES))
        .should(
            dependOnlyOn(
                "the JDK, this project and compile-time annotations",
                (_, to) -> {
                  String name = to.getBaseComponentType().getName();
                  return to.getBaseComponentType().isPrimitive()
                      || Stream.of(
                              "java.",
                              "jdk.jfr.",
                              root + ".",
                              "org.jspecify.",
                              "com.google.errorprone.annot")
                          .anyMatch(name::startsWith);
                }))
        .because("an embedded engine brings no library into its user's class path");
  }

  // ---- Seams ------------------------------------------------------------------------------------

  private ArchRule filesGoThroughTheSeam() {
    return noClasses()
        .that(inLibraries())
        .and(isNot("base.io", "Os"))
        .should(use("the file system directly", FILE_TYPES, Set.of(), Set.of()))
        .because("faults and crashes are simulated at base.io.FileSystem; use that");
  }

  private ArchRule timeGoesThroughTheSeam() {
    return noClasses()
        .that(inLibraries())
        .and(isNot("base.time", "System"))
        .should(
            use(
                "the clock of the machine",
                Set.of(),
                Set.of(),
                CLOCK_CALLS,
                call -> call.getName().equals("now") && call.getOwner().getName().startsWith(TIME)))
        .because("tests move time by hand; use base.time.Clock");
  }

  private static final String TIME = "java.time.";

  private ArchRule chanceGoesThroughTheSeam() {
    return noClasses()
        .that(in(Layout.WITHOUT_DEPENDENCIES))
        .and(isNot("base", "System"))
        .should(use("chance", RANDOM_TYPES, Set.of(), RANDOM_CALLS))
        .because("a run is replayed from one seed; take the number from the caller");
  }

  private ArchRule threadsGoThroughTheSeam() {
    return noClasses()
        .that(inLibraries())
        .and(
            matching(
                "are not in a package that owns threads",
                c -> !Set.of("base.run", "cql.server", "erl.server").contains(local(c))))
        .should(
            use("threads", Set.of("java.util.concurrent.Executors"), THREAD_MAKERS, THREAD_CALLS))
        .because("simulated stores run on one thread; use base.run.Scheduler");
  }

  private ArchRule nothingReadsTheEnvironment() {
    return noClasses()
        .that(inLibraries())
        .and(isNot("base.io", "Os"))
        .should(use("the environment", Set.of(), Set.of(), ENVIRONMENT_CALLS))
        .because("what a store does is told by its options alone");
  }

  private ArchRule nothingPrints() {
    return noClasses()
        .that(in(Layout.MAY_USE.keySet()))
        .and(
            matching(
                "talk to no person",
                c -> !Set.of("tools", "bench").contains(module(c)) && !local(c).equals(REPLAY)))
        .should(
            use(
                "the standard streams",
                Set.of(),
                Set.of(),
                Set.of("java.lang.Throwable.printStackTrace"),
                access ->
                    access.getOwner().getName().equals("java.lang.System")
                        && Set.of("out", "err", "in").contains(access.getName())))
        .because("a library reports through results, exceptions and listeners");
  }

  /** The one package of testkit that prints: how to replay a failed run. */
  private static final String REPLAY = "testkit.run";

  private ArchRule nothingReflects() {
    return noClasses()
        .that(in(Layout.WITHOUT_DEPENDENCIES))
        .should(
            dependOn(
                "reflection or Unsafe",
                to ->
                    to.getPackageName().equals("java.lang.reflect")
                        || to.getName().endsWith(".Unsafe")))
        .because("the JDK closes these step by step");
  }

  // ---- Roads ------------------------------------------------------------------------------------

  private ArchRule documentCompactionDecodesNothing() {
    return noClasses()
        .that(matching("compact documents", c -> local(c).equals("doc.compaction")))
        .should(
            dependOn(
                "decoded keys",
                to -> Set.of("KeyDecoder", "SubDocKey").contains(to.getSimpleName())))
        .because("compaction works on raw key bytes; decoding them was half of its cost elsewhere")
        .allowEmptyShould(true);
  }

  private ArchRule pointGetBuildsNoIterator() {
    return noClasses()
        .that(
            matching(
                "get single keys",
                c -> local(c).equals("engine.read") && c.getSimpleName().equals("PointGet")))
        .should(
            dependOn(
                "an implementation of InternalIterator",
                to ->
                    !to.isInterface() && to.isAssignableTo(root + ".engine.iter.InternalIterator")))
        .because("a get that builds an iterator pays for every tombstone around its key")
        .allowEmptyShould(true);
  }

  // ---- Style ------------------------------------------------------------------------------------

  private ArchRule classesAreFinal() {
    return classes()
        .that(inLibraries())
        .should(
            report(
                "be final, sealed, abstract or a Filter",
                (c, found) -> {
                  if (!isClosed(c)) {
                    found.add(c.getName() + " is open to subclasses");
                  }
                }))
        .because("only Filter... wrappers are made to be extended");
  }

  private static boolean isClosed(JavaClass c) {
    return c.getModifiers().contains(JavaModifier.FINAL)
        || c.getModifiers().contains(JavaModifier.ABSTRACT)
        || c.getModifiers().contains(JavaModifier.SYNTHETIC)
        || c.isInterface()
        || c.isEnum()
        || c.isAnonymousClass()
        || c.getSimpleName().startsWith("Filter")
        || c.getConstructors().stream()
            .allMatch(constructor -> constructor.getModifiers().contains(JavaModifier.PRIVATE));
  }

  private ArchRule namesSayWhatAThingIs() {
    return classes()
        .that(in(Layout.MAY_USE.keySet()))
        .should(
            report(
                "have names that say what they are",
                (c, found) -> {
                  if (BAD_NAME.matcher(c.getSimpleName()).matches()) {
                    found.add(
                        c.getName() + ": no Impl, Manager, Helper, Util, I... or Abstract...");
                  }
                }));
  }

  private ArchRule persistedEnumsHaveCodes() {
    return classes()
        .that(
            matching(
                "are enums that reach the disk",
                c -> c.isEnum() && Layout.PERSISTED.contains(local(c))))
        .should(
            report(
                "declare a method code()",
                (c, found) -> {
                  if (c.tryGetMethod("code").isEmpty()) {
                    found.add(c.getName() + " has no method code()");
                  }
                }))
        .because("the number on disk is written beside the constant and never changes")
        .allowEmptyShould(true);
  }

  // ---- Parts ------------------------------------------------------------------------------------

  /** The package of a class below the root, "" for a class that is not below it. */
  private String local(JavaClass c) {
    String name = c.getBaseComponentType().getPackageName();
    return name.startsWith(root + ".") ? name.substring(root.length() + 1) : "";
  }

  private String module(JavaClass c) {
    String local = local(c);
    int dot = local.indexOf('.');
    return dot < 0 ? local : local.substring(0, dot);
  }

  private DescribedPredicate<JavaClass> in(Iterable<String> modules) {
    return matching(
        "are in " + String.join(", ", modules),
        c -> {
          for (String module : modules) {
            if (module.equals(module(c))) {
              return true;
            }
          }
          return false;
        });
  }

  private DescribedPredicate<JavaClass> inLibraries() {
    return in(Layout.LIBRARIES);
  }

  /** Not one of the few classes of a package, and those below it, that are meant to. */
  private DescribedPredicate<JavaClass> isNot(String localPackage, String prefix) {
    return matching(
        "are not " + localPackage + "." + prefix + "...",
        c -> {
          String own = local(c);
          boolean inside = own.equals(localPackage) || own.startsWith(localPackage + ".");
          return !inside || !outermost(c).getSimpleName().startsWith(prefix);
        });
  }

  private static JavaClass outermost(JavaClass c) {
    JavaClass outer = c;
    while (outer.getEnclosingClass().isPresent()) {
      outer = outer.getEnclosingClass().get();
    }
    return outer;
  }

  private static boolean isPublicToTheWorld(JavaClass c) {
    JavaClass outer = c;
    while (true) {
      if (!outer.getModifiers().contains(JavaModifier.PUBLIC)) {
        return false;
      }
      if (outer.getEnclosingClass().isEmpty()) {
        return true;
      }
      outer = outer.getEnclosingClass().get();
    }
  }

  private static boolean isOpen(JavaMember member) {
    return member.getModifiers().contains(JavaModifier.PUBLIC)
        || (member.getModifiers().contains(JavaModifier.PROTECTED)
            && !member.getOwner().getModifiers().contains(JavaModifier.FINAL));
  }

  private static Stream<JavaClass> shownTypes(JavaMember member) {
    return switch (member) {
      case JavaField field -> field.getType().getAllInvolvedRawTypes().stream();
      case JavaCodeUnit unit ->
          Stream.concat(
              unit.getReturnType().getAllInvolvedRawTypes().stream(),
              Stream.concat(
                  unit.getParameterTypes().stream()
                      .flatMap(type -> type.getAllInvolvedRawTypes().stream()),
                  unit.getExceptionTypes().stream()));
      default -> throw new IllegalArgumentException(member.getFullName());
    };
  }

  private boolean mayBeShown(JavaClass type) {
    String local = local(type);
    return local.isEmpty()
        ? type.getBaseComponentType().isPrimitive() || type.getName().matches("\\[*L?java\\..*")
        : module(type).equals("base")
            || Layout.DOORS.getOrDefault(module(type), Set.of()).contains(local);
  }

  private static DescribedPredicate<JavaClass> matching(
      String description, Predicate<JavaClass> predicate) {
    return DescribedPredicate.describe(description, predicate);
  }

  /** A condition that fails for each dependency to which {@code allowed} says no. */
  private static ArchCondition<JavaClass> dependOnlyOn(
      String what, BiFunction<JavaClass, JavaClass, Boolean> allowed) {
    return new ArchCondition<>("depend only on " + what) {
      @Override
      public void check(JavaClass c, ConditionEvents events) {
        for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
          if (!allowed.apply(c, dependency.getTargetClass())) {
            events.add(SimpleConditionEvent.violated(c, dependency.getDescription()));
          }
        }
      }
    };
  }

  /** A condition for {@code noClasses()}: satisfied by each dependency on a type. */
  private static ArchCondition<JavaClass> dependOn(String what, Predicate<JavaClass> types) {
    return new ArchCondition<>("depend on " + what) {
      @Override
      public void check(JavaClass c, ConditionEvents events) {
        for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
          if (types.test(dependency.getTargetClass())) {
            events.add(SimpleConditionEvent.satisfied(c, dependency.getDescription()));
          }
        }
      }
    };
  }

  private static ArchCondition<JavaClass> use(
      String what, Set<String> types, Set<String> made, Set<String> called) {
    return use(what, types, made, called, _ -> false);
  }

  /**
   * A condition for {@code noClasses()}: satisfied by each dependency on one of {@code types}, each
   * construction of one of {@code made} or a subclass, each call of one of {@code called}
   * (overrides included), and each access that {@code others} picks.
   */
  private static ArchCondition<JavaClass> use(
      String what,
      Set<String> types,
      Set<String> made,
      Set<String> called,
      Predicate<AccessTarget> others) {
    return new ArchCondition<>("use " + what) {
      @Override
      public void check(JavaClass c, ConditionEvents events) {
        for (Dependency dependency : c.getDirectDependenciesFromSelf()) {
          if (types.contains(dependency.getTargetClass().getBaseComponentType().getName())) {
            events.add(SimpleConditionEvent.satisfied(c, dependency.getDescription()));
          }
        }
        for (JavaAccess<?> access : c.getAccessesFromSelf()) {
          if (isMade(access) || isCalled(access) || others.test(access.getTarget())) {
            events.add(SimpleConditionEvent.satisfied(c, access.getDescription()));
          }
        }
      }

      private boolean isMade(JavaAccess<?> access) {
        return access.getTarget().getName().equals("<init>")
            && made.stream().anyMatch(access.getTargetOwner()::isAssignableTo);
      }

      private boolean isCalled(JavaAccess<?> access) {
        return called.stream()
            .anyMatch(
                method -> {
                  int dot = method.lastIndexOf('.');
                  return access.getTarget().getName().equals(method.substring(dot + 1))
                      && access.getTargetOwner().isAssignableTo(method.substring(0, dot));
                });
      }
    };
  }

  /** What is wrong with a class, as lines. */
  private interface Report {
    void check(JavaClass c, List<String> found);
  }

  private static ArchCondition<JavaClass> report(String what, Report report) {
    return new ArchCondition<>(what) {
      @Override
      public void check(JavaClass c, ConditionEvents events) {
        List<String> found = new ArrayList<>();
        report.check(c, found);
        found.forEach(line -> events.add(SimpleConditionEvent.violated(c, line)));
      }
    };
  }
}
