package dev.siltstone.engine.compaction;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Compiles a main class with one piece of its source replaced, and loads it together with the test
 * that is to notice. The code under test needs no switches for that.
 */
final class Mutants {
  private static final Path SOURCES = Path.of("src/main/java");
  private static final String PACKAGE = "dev.siltstone.engine.compaction.";

  private final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();

  /**
   * A new instance of a test class of this package, over the mutated class.
   *
   * @param mutated name of a main class of the engine
   * @param original text that occurs once in its source
   */
  @SuppressWarnings("unchecked")
  <T> T load(Class<? extends T> test, Class<?> mutated, String original, String replacement)
      throws IOException, ReflectiveOperationException {
    String name = mutated.getName();
    String source = Files.readString(SOURCES.resolve(name.replace('.', '/') + ".java"));
    int at = source.indexOf(original);
    if (at < 0 || source.indexOf(original, at + 1) >= 0) {
      throw new IllegalArgumentException("not exactly once in " + name + ": " + original);
    }
    Map<String, byte[]> classes = compile(name, source.replace(original, replacement));
    ClassLoader loader =
        new ClassLoader(Mutants.class.getClassLoader()) {
          @Override
          protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
              if (findLoadedClass(name) == null
                  && (classes.containsKey(name) || name.startsWith(PACKAGE))) {
                byte[] bytes = classes.get(name);
                bytes = bytes == null ? bytesOf(name) : bytes;
                return defineClass(name, bytes, 0, bytes.length);
              }
            }
            return super.loadClass(name, resolve);
          }
        };
    var constructor = loader.loadClass(test.getName()).getDeclaredConstructor();
    constructor.setAccessible(true);
    return (T) constructor.newInstance();
  }

  private static byte[] bytesOf(String name) throws ClassNotFoundException {
    String resource = name.replace('.', '/') + ".class";
    try (InputStream in = Mutants.class.getClassLoader().getResourceAsStream(resource)) {
      return in.readAllBytes();
    } catch (IOException e) {
      throw new ClassNotFoundException(name, e);
    }
  }

  private Map<String, byte[]> compile(String name, String source) throws IOException {
    Map<String, ByteArrayOutputStream> outputs = new HashMap<>();
    JavaFileObject file =
        new SimpleJavaFileObject(
            URI.create("string:///" + name.replace('.', '/') + ".java"),
            JavaFileObject.Kind.SOURCE) {
          @Override
          public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return source;
          }
        };
    StringBuilder messages = new StringBuilder();
    try (StandardJavaFileManager standard = compiler.getStandardFileManager(null, null, null);
        JavaFileManager manager = inMemory(standard, outputs)) {
      boolean compiled =
          compiler
              .getTask(
                  null,
                  manager,
                  message -> messages.append(message).append('\n'),
                  List.of("-proc:none", "-nowarn"),
                  null,
                  List.of(file))
              .call();
      if (!compiled) {
        throw new IllegalArgumentException(messages.toString());
      }
    }
    Map<String, byte[]> classes = new HashMap<>();
    outputs.forEach((className, bytes) -> classes.put(className, bytes.toByteArray()));
    return classes;
  }

  private static JavaFileManager inMemory(
      JavaFileManager standard, Map<String, ByteArrayOutputStream> outputs) {
    return new ForwardingJavaFileManager<>(standard) {
      @Override
      public JavaFileObject getJavaFileForOutput(
          Location location, String className, JavaFileObject.Kind kind, FileObject sibling) {
        return new SimpleJavaFileObject(URI.create("memory:///" + className), kind) {
          @Override
          public OutputStream openOutputStream() {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            outputs.put(className, bytes);
            return bytes;
          }
        };
      }
    };
  }
}
