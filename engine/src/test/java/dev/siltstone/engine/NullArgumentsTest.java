package dev.siltstone.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.siltstone.base.time.Clock;
import dev.siltstone.base.time.SystemClock;
import dev.siltstone.engine.spi.EventListener;
import dev.siltstone.engine.spi.SubtreeLengths;
import dev.siltstone.testkit.disk.SimFileSystem;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.LongSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

// Goal: a null where none may be is answered at once, by a NullPointerException that names the
// parameter, and changes nothing.
// Method: every public method and constructor of every public class of the door packages is called
// with a null for each of its parameters in turn that is not marked @Nullable, and sound arguments
// for the others. A new class needs an object in the constructor below, or the test fails.
final class NullArgumentsTest {
  private static final Path STORE = Path.of("/store");

  private final SimFileSystem disk = new SimFileSystem();
  private final Components components = Components.DEFAULT.withFileSystem(disk);
  private final Db db = Db.open(STORE, Options.DEFAULT, components);

  /** What stands in for a parameter, and what methods are called on, by type. */
  private final Map<Class<?>, Object> objects = new HashMap<>();

  private final List<String> faults = new ArrayList<>();
  private int calls;

  NullArgumentsTest() {
    db.put(new byte[] {1}, new byte[] {2});
    add(Db.class, db);
    add(Tree.class, db.tree());
    add(Cursor.class, db.cursor());
    add(Snapshot.class, db.snapshot());
    add(WriteBatch.class, db.newBatch());
    add(
        TableFileWriter.class,
        TableFileWriter.create(Path.of("/t"), TreeOptions.DEFAULT, components));
    add(Options.class, Options.DEFAULT);
    add(Options.Builder.class, Options.builder());
    add(TreeOptions.class, TreeOptions.DEFAULT);
    add(ReadOptions.class, ReadOptions.DEFAULT);
    add(WriteOptions.class, WriteOptions.DEFAULT);
    add(VerifyOptions.class, VerifyOptions.DEFAULT);
    add(VerifyOptions.Progress.class, VerifyOptions.DEFAULT.progress());
    add(Components.class, components);
    add(KeyRange.class, KeyRange.ALL);
    add(Codec.class, Codec.string());
    add(Durability.class, Durability.SYNC);
    add(MemorySegment.class, MemorySegment.ofArray(new byte[16]));
    add(DbStats.Gaps.class, DbStats.Gaps.NONE);
    add(Verification.Checked.class, new Verification.Checked(0, 0, 0));
    add(TableFile.Records.class, new TableFile.Records(0, 0, 0, 0, 0, 0, 0));
    add(TableFile.Layout.class, new TableFile.Layout(0, 0, 0, 0, 0, 0));
    add(Clock.class, new SystemClock());
    add(LongSupplier.class, (LongSupplier) () -> 0);
    add(SubtreeLengths.class, SubtreeLengths.NONE);
    add(EventListener.class, EventListener.NONE);
    add(byte[].class, new byte[] {1});
    add(String.class, "text");
    add(Path.class, Path.of("/other"));
    add(Duration.class, Duration.ofSeconds(1));
    add(Instant.class, Instant.EPOCH);
    add(List.class, List.of());
    add(Map.class, Map.of());
    add(boolean.class, false);
    add(int.class, 1);
    add(long.class, 1L);
  }

  private void add(Class<?> type, Object object) {
    objects.put(type, object);
  }

  @AfterEach
  void close() {
    db.close();
  }

  @Test
  void everyNullIsRefusedAtOnceAndByName() throws Exception {
    for (Class<?> type : doors()) {
      for (Executable constructor : type.getDeclaredConstructors()) {
        visit(type, constructor);
      }
      for (Executable method : type.getDeclaredMethods()) {
        visit(type, method);
      }
    }
    assertThat(faults).isEmpty();
    assertThat(calls).isGreaterThan(100);
    assertThat(disk.exists(Path.of("/other"))).isFalse();
    assertThat(db.get(new byte[] {1})).isEqualTo(new byte[] {2});
  }

  /**
   * All public classes of the door packages but what the application implements or only catches.
   */
  private static List<Class<?>> doors() throws Exception {
    Path classes = Path.of(Db.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> doors = new ArrayList<>();
    for (String name : List.of("dev/siltstone/engine", "dev/siltstone/engine/spi")) {
      for (String file : classFiles(classes.resolve(name))) {
        Class<?> type = Class.forName(name.replace('/', '.') + "." + file.replace(".class", ""));
        if (isPublic(type) && !type.isInterface() && !Throwable.class.isAssignableFrom(type)) {
          doors.add(type);
        }
      }
    }
    assertThat(doors).hasSizeGreaterThan(20);
    return doors;
  }

  private static TreeSet<String> classFiles(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      TreeSet<String> names = new TreeSet<>();
      files.map(file -> file.getFileName().toString()).forEach(names::add);
      names.removeIf(name -> !name.endsWith(".class") || name.contains("-info"));
      return names;
    }
  }

  private static boolean isPublic(@Nullable Class<?> type) {
    for (Class<?> at = type; at != null; at = at.getEnclosingClass()) {
      if (!Modifier.isPublic(at.getModifiers())) {
        return false;
      }
    }
    return true;
  }

  private void visit(Class<?> type, Executable executable) throws Exception {
    boolean given = executable.getName().equals("equals") || type.isEnum();
    if (!Modifier.isPublic(executable.getModifiers()) || executable.isSynthetic() || given) {
      return;
    }
    Parameter[] parameters = executable.getParameters();
    for (int i = 0; i < parameters.length; i++) {
      if (!parameters[i].getType().isPrimitive() && !isNullable(executable, parameters, i)) {
        check(executable, parameters, i);
      }
    }
  }

  private static boolean isNullable(Executable executable, Parameter[] parameters, int at) {
    AnnotatedType type = parameters[at].getAnnotatedType();
    RecordComponent[] components = executable.getDeclaringClass().getRecordComponents();
    if (executable instanceof Constructor && components != null) {
      // A compact constructor has lost what its parameters are annotated with, if they are arrays.
      assertThat(parameters).as("%s", executable).hasSameSizeAs(components);
      type = components[at].getAnnotatedType();
    }
    return type.isAnnotationPresent(Nullable.class);
  }

  private void check(Executable executable, Parameter[] parameters, int at) throws Exception {
    @Nullable Object[] arguments = new @Nullable Object[parameters.length];
    for (int i = 0; i < arguments.length; i++) {
      if (i != at && !isNullable(executable, parameters, i)) {
        arguments[i] = object(parameters[i].getType(), executable);
      }
    }
    calls++;
    String name = parameters[at].getName();
    // The setters of builders call their parameter like all others.
    String expected = name.equals("value") && arguments.length == 1 ? executable.getName() : name;
    String found = outcome(executable, arguments);
    if (!found.equals(name) && !found.equals(expected)) {
      faults.add(executable + " with null as " + name + ": " + found);
    }
  }

  /** The message of the NullPointerException, or what happened instead. */
  private String outcome(Executable executable, @Nullable Object[] arguments) throws Exception {
    try {
      if (executable instanceof Method method) {
        boolean isStatic = Modifier.isStatic(method.getModifiers());
        method.invoke(isStatic ? null : object(method.getDeclaringClass(), method), arguments);
      } else {
        ((Constructor<?>) executable).newInstance(arguments);
      }
      return "accepted";
    } catch (InvocationTargetException e) {
      Throwable thrown = e.getCause();
      return thrown instanceof NullPointerException && thrown.getMessage() != null
          ? thrown.getMessage()
          : String.valueOf(thrown);
    }
  }

  private Object object(Class<?> type, Executable executable) {
    Object object = objects.get(type);
    if (object == null) {
      throw new AssertionError("no object of " + type + " to call " + executable + " with");
    }
    return object;
  }

  @Test
  void codecsRefuseNullAtOnce() {
    Map<String, Codec<?>> codecs =
        Map.of(
            "bytes", Codec.bytes(),
            "string", Codec.string(),
            "int32", Codec.int32(),
            "int64", Codec.int64(),
            "uuid", Codec.uuid());
    codecs.forEach(
        (name, codec) -> {
          requireRefused(name, "value", () -> codec.encode(null));
          requireRefused(name, "bytes", () -> codec.decode(null));
        });
  }

  @Test
  void functionsOfMapsAreNeverNull() {
    Map<String, String> map = db.tree().asMap(Codec.string(), Codec.string());
    map.put("k", "v");
    requireRefused("compute", "function", () -> map.compute("k", null));
    requireRefused("computeIfAbsent", "function", () -> map.computeIfAbsent("k", null));
    requireRefused("computeIfPresent", "function", () -> map.computeIfPresent("none", null));
    requireRefused("merge", "function", () -> map.merge("none", "v", null));
    assertThat(map).containsEntry("k", "v").hasSize(2);
  }

  @Test
  void noFileToIngestIsNull() {
    List<Path> files = new ArrayList<>();
    files.add(null);
    requireRefused("ingest", "a file of files", () -> db.tree().ingest(files));
  }

  private static void requireRefused(String what, String parameter, Runnable call) {
    try {
      call.run();
    } catch (NullPointerException e) {
      assertThat(e).as(what).hasMessage(parameter);
      return;
    }
    throw new AssertionError(what + " accepts null as " + parameter);
  }
}
